"""Completion of the command line: scripts for shells, made from the commands there are."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

SHELLS = ("bash", "zsh", "fish")


def completion_for(shell: str, commands: Mapping[str, Sequence[str]]) -> str:
    """The script that completes ``srcgrad`` in a shell: commands first, then what each takes.

    >>> print(completion_for("fish", {"doctor": []}))
    complete -c srcgrad -n __fish_use_subcommand -f -a doctor
    """
    if shell == "fish":
        lines = [f"complete -c srcgrad -n __fish_use_subcommand -f -a {name}" for name in commands]
        lines += [f"complete -c srcgrad -n '__fish_seen_subcommand_from {name}' -a '{word}'"
                  for name, words in commands.items() for word in words]
        return "\n".join(lines)
    cases = "\n".join(f"    {name}) words='{' '.join(words)}' ;;"
                      for name, words in commands.items())
    script = f"""\
_srcgrad() {{
  local words='{' '.join(commands)}'
  if [ "$COMP_CWORD" -gt 1 ]; then
    case "${{COMP_WORDS[1]}}" in
{cases}
    esac
  fi
  COMPREPLY=($(compgen -W "$words" -- "${{COMP_WORDS[COMP_CWORD]}}"))
}}
complete -o default -F _srcgrad srcgrad"""
    return script if shell == "bash" else f"autoload -U bashcompinit && bashcompinit\n{script}"
