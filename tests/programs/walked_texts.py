"""Loops over the characters of texts, which are texts of their own however long these are."""

from itertools import pairwise

import numpy as np

CODES = {"a": 0, "b": 1, "c": 2, "d": 1}


# ---- what is gone through: each gives two characters at a time
def beside(text):
    return zip(text, text[1:])


def in_pairs(text):
    return pairwise(text)


def by_place(text):
    return ((text[i], text[i - 1]) for i in range(len(text)))


def numbered(text):
    for i, first in enumerate(text):
        yield first, text[-1 - i]


def with_numbers(text):
    for (first, second), i in zip(zip(text, text[1:]), range(len(text))):
        yield first, second if i % 3 else first


# ---- what is done with them
def looked_up(total, w, first, second):
    codes = {"a": 0, "b": 1, "c": 2, "d": 1}
    return np.tanh(total * w[codes[first]] + w[codes[second]])


def with_default(total, w, first, second):
    weights = {"a": 0.5, "c": -1.25}
    return np.sin(total * w[0]) * weights.get(first, 2.0) + (weights.get(second) or w[1])


def looked_up_outside(total, w, first, second):
    return np.tanh(total * w[CODES[first]] + w[CODES[second]] - CODES[first])


def compared(total, w, first, second):
    if first == second or first in "bd":
        return total * w[0] + w[1]
    return np.cos(total) + w[2] * (second > "b")


def asked(total, w, first, second):
    place = "dcba".find(first.lower()) % 3
    return np.sin(total + w[place]) * (1.5 if second.isalpha() and first.upper() != "A" else w[1])


def coded(total, w, first, second):
    return np.sin(total * w[(ord(first) - 97) % 3]) + w[(ord(second) + 1) % 3]


def sized(total, w, first, second):
    codes = {"a": 1, "b": 2, "c": 3, "d": 2}
    return np.sin(total) + w[: codes[first]].sum() * w[codes[second] - 1:].sum()


def crossed(walk, body):
    def program(w, text):
        total = 0.25
        for first, second in walk(text):
            total = body(total, w, first, second)
        return total

    program.__name__ = f"{body.__name__}_{walk.__name__}"
    return program


# ---- whole programs
def letters_of_the_text(w, text):
    places = {letter: i for i, letter in enumerate(sorted(set(text)))}
    h = np.zeros(3)
    for letter in text:
        h = np.tanh(w * h + w[places[letter] % 3])
    return h.sum() / (1 + len(places))


def states_kept(w, text):
    states, state = [], w
    for first, second in pairwise(text):
        state = np.tanh(state * w[::-1] + (first == second))
        states.append(state)
    return np.stack(states).mean() + states[-1][0]


def left_early(w, text):
    total = 0.1
    for i, letter in enumerate(text):
        total = total * w[0] + w[1] * i
        if total > 3.0 and letter == "c":
            break
        if letter == "b":
            continue
        total = np.sin(total)
    else:
        total = total * 2.0
    return total


def counted_meanwhile(w, text):
    seen, total = {}, 0.0
    for letter in text:
        seen[letter] = seen.get(letter, 0) + 1
        total = np.tanh(total * w[0] + w[seen[letter] % 3])
    return total + len(seen)


def weights_that_change(w, text):
    weights, total = {"a": 0.5, "b": -1.5, "c": 0.1, "d": 1.0}, 0.2
    for letter in text:
        total = np.sin(total * w[0]) * weights[letter] + w[1]
        weights[letter] = weights[letter] + 0.01 * total
        weights["b"] += 0.01
    return total


def layers_by_letters(w, text):
    layers, h = {"a": np.sin, "b": np.cos, "c": np.tanh, "d": np.arctan}, w
    for letter in text:
        h = layers[letter](h * w[::-1])
    return h.sum()


def within_one_another(w, text):
    total = 0.2
    for first in text:
        for second in text[:3]:
            total = np.sin(total * w[0]) if first == second else total * w[1] + w[2]
    return total


def words_of_it(w, text):
    total = 0.2
    for word in text.replace("c", " ").split():
        total = np.sin(total * w[0]) * len(word) + w[len(word) % 3]
    return total


def written_here(w, text):
    total = 0.1 * len(text)
    for step in "ssctssscttcsstcc":
        if step == "s":
            total = np.sin(total) + w[0]
        elif step == "c":
            total = np.cos(total) * w[1]
        else:
            total = total * total
    return total


def known_after_all(w, text):
    total = 0.1
    for letter in text:
        total = np.sin(total + w[0]) * w[1]
        total = getattr(np, {"a": "sin", "b": "cos"}.get(letter, "tanh"))(total)
    return total


def twice(w, text, again):
    total = 0.3
    for first, second in zip(text, again):
        total = np.sin(total * w[0] + (first == second)) + w[ord(first) % 3]
    return total * (text == again) + w[0]


WALKS = [beside, in_pairs, by_place, numbered, with_numbers]
BODIES = [looked_up, with_default, looked_up_outside, compared, asked, coded, sized]
CROSSED = [crossed(walk, body) for body in BODIES for walk in WALKS]
WHOLE = [letters_of_the_text, states_kept, left_early, counted_meanwhile, weights_that_change,
         layers_by_letters, within_one_another, words_of_it, written_here, known_after_all]
W = np.array([0.7, 0.4, -0.3])
CASES = [*((program, (W, "abcabdcb" * 4)) for program in (*CROSSED, *WHOLE)),
         (twice, (W, "abca" * 8, "abca" * 8))]
