"""``df.show()`` and the pictures of graphs in a real browser, without a window: what is lit, the
colours, narrow screens, and that nothing is loaded or goes wrong."""

from __future__ import annotations

import html
import json
import re
import shutil
import subprocess

import pytest
from shown_program import X, rollout

import srcgrad as sg

BROWSER = next(filter(None, map(shutil.which, (
    "chromium", "chromium-browser", "google-chrome", "chrome"))), None)
pytestmark = [pytest.mark.long, pytest.mark.skipif(
    BROWSER is None, reason="no browser: Chromium (apt-get install chromium) is not on PATH")]
QUIET = ["--headless", "--no-sandbox", "--disable-gpu", "--disable-quic", "--no-first-run",
         "--disable-background-networking", "--disable-component-update", "--disable-sync",
         "--disable-default-apps", "--enable-logging=stderr", "--virtual-time-budget=2000"]

def looked_at(page, tmp_path, script, *flags, size=(1280, 800)):
    """What a script finds on a page in the browser; it calls ``say(name, value)``."""
    probe = ("<script>var found={};function say(k,v){found[k]=v}"
             "function all(q){return Array.from(document.querySelectorAll(q))}"
             "function css(e,p){return getComputedStyle(e)[p]}"
             "addEventListener('error',function(e){say('error',e.message)});"
             f"addEventListener('load',function(){{{script};"
             "say('loaded',performance.getEntriesByType('resource').length);"
             "var e=document.createElement('pre');e.id='found';e.textContent=JSON.stringify(found);"
             "document.body.appendChild(e)})</script>")
    file = tmp_path / "page.html"
    file.write_text(page.replace("</body>", probe + "</body>"), encoding="utf-8")
    run = subprocess.run(
        [BROWSER, *QUIET, *flags, f"--window-size={size[0]},{size[1]}",
         f"--user-data-dir={tmp_path / 'profile'}", "--dump-dom", file.as_uri()],
        capture_output=True, text=True, timeout=120)
    assert "CONSOLE" not in run.stderr, run.stderr
    text = re.search(r'<pre id="found">(.*?)</pre>', run.stdout, re.S)
    assert text is not None, run.stderr
    found = json.loads(html.unescape(text.group(1)))
    assert found.pop("loaded") == 0 and "error" not in found, found
    return found


@pytest.fixture(scope="module")
def page(tmp_path_factory):
    file = tmp_path_factory.mktemp("show") / "page.html"
    return sg.grad(rollout).show(X, 3).save(file).read_text(encoding="utf-8")


def test_a_click_lights_up_source_forward_and_adjoint(page, tmp_path):
    found = looked_at(page, tmp_path, """
        say('sections', all('h2').map(function(e){return e.firstChild.data.trim()}));
        function lit(){return all('.lit').map(function(e){return e.tagName+' '+e.textContent.trim()})}
        var row=all('tr').filter(function(e){return e.textContent.includes('np.tanh(v)')})[0];
        say('before', lit());
        row.querySelector('td.src').click(); say('clicked', lit());
        say('colours', row.querySelector('td.src')&&
            [css(row.cells[1],'backgroundColor'),css(row.nextSibling||all('td.src')[0],'backgroundColor')]);
        row.querySelector('td.src').click(); say('again', lit());
        var line=all('.text pre').filter(function(e){return e.textContent.includes('np.exp(x)')})[0];
        line.click(); say('line', lit());
        line.dispatchEvent(new MouseEvent('mouseout',{bubbles:true})); say('stays', lit().length);
        var other=all('td.src')[2]; other.dispatchEvent(new MouseEvent('mouseover',{bubbles:true}));
        say('pointed', lit().length); other.dispatchEvent(new MouseEvent('mouseout',{bubbles:true}));
        say('left', lit().length)""")
    assert found["sections"] == ["rollout", "gain"]
    assert found["before"] == found["again"] == []
    (row, *lines) = found["clicked"]
    assert row.startswith("TR ") and "np.tanh(v)" in row and "d_y = d_y * np.cos" in row
    assert any("tanh_y = np.tanh(y)" in line for line in lines)  # forward, in the whole text
    assert any(line.startswith("PRE d_y = d_y * np.cos") for line in lines)  # backward
    assert found["colours"][0] != found["colours"][1]
    assert any("y = np.exp(x)" in line and line.startswith("TR") for line in found["line"])
    assert found["stays"] == found["left"] == len(found["line"]) < found["pointed"]


@pytest.mark.parametrize("dark", [False, True])
def test_light_and_dark(page, tmp_path, dark):
    found = looked_at(page, tmp_path, """
        function light(e,p){return css(e,p).match(/\\d+/g).slice(0,3).map(Number)
            .reduce(function(a,b){return a+b})}
        say('back',light(all('td.src')[0],'backgroundColor'));
        say('words',all('.srcgrad,.srcgrad h1,.srcgrad th,.srcgrad td,.srcgrad span,.srcgrad small')
            .map(function(e){return light(e,'color')}))""",
        f"--blink-settings=preferredColorScheme={0 if dark else 1}")
    assert (found["back"] < 100) is dark
    assert all(abs(word - found["back"]) > 250 for word in found["words"])  # can be read


@pytest.mark.parametrize("width", [1280, 500])
def test_narrow_screens(page, tmp_path, width):
    found = looked_at(page, tmp_path, """
        var row=all('tr').filter(function(e){return e.textContent.includes('np.tanh(v)')})[0];
        say('wide', document.documentElement.scrollWidth<=innerWidth);
        say('boxes', all('.src,.fwd,.adj').filter(function(e){return row.contains(e)}).map(
            function(e){var b=e.getBoundingClientRect();return [b.left,b.top,b.right]}));
        say('sticky', css(row.querySelector('td.src'),'position'))""", size=(width, 800))
    assert found["wide"]
    source, forward, adjoint = found["boxes"]
    if width == 500:  # one below the other
        assert source[1] < forward[1] < adjoint[1] and forward[0] == adjoint[0]
        assert found["sticky"] == "static"
    else:
        assert source[2] <= forward[0] < adjoint[0] and source[1] == adjoint[1]
        assert found["sticky"] == "sticky"


def test_the_picture_of_a_graph_can_be_read(tmp_path):
    picture = sg.grad(rollout).graph(X, 3)._repr_svg_()
    found = looked_at(f"<!doctype html><body>{picture}</body>", tmp_path, """
        say('texts', all('svg g').map(function(e){var t=e.querySelector('text').getBBox(),
            r=e.querySelector('rect').getBBox();return [e.querySelector('text').textContent,
            t.x>=r.x&&t.x+t.width<=r.x+r.width&&t.y>=r.y&&t.y+t.height<=r.y+r.height]}));
        var s=all('svg')[0].getBBox(); say('size',[s.width,s.height]);
        say('frames', all('.frame text').map(function(e){return e.textContent}));
        var click=new Event('click',{bubbles:true}), drawn=function(){return all('svg *').map(
            function(e){return ['x','y','width','height','d'].map(function(a){
            return (e.getAttribute(a)||'').match(/[-\\d.]+/g)||[]})}).flat(3).map(Number)};
        var before=drawn(), titles=all('.frame text'), loop=titles[1];
        loop.dispatchEvent(click);
        var after=all('svg')[0].getBBox(), box=loop.parentNode.querySelector('rect').getBBox();
        say('closed',[loop.textContent, after.height<s.height, box.height,
            all('.off').length]);
        var t=loop.getBBox(); say('fits',t.x>=box.x&&t.x+t.width<=box.x+box.width);
        loop.dispatchEvent(click); var again=drawn();
        say('moved', before.length-again.length+Math.max.apply(null,before.map(function(n,i){
            return Math.abs(n-again[i])})))""")
    assert all(inside for _, inside in found["texts"]), found["texts"]
    texts = [text for text, _ in found["texts"]]
    assert "y: f8[n] = exp(x)" in texts and any("for 0, n, 1" in text for text in texts)
    assert found["frames"] == ["rollout_grad", "do of loop", "then of if", "backward",
                               "do of loop", "then of if"]
    assert found["size"][0] < 1600 and found["size"][1] < 1600
    label, smaller, height, hidden = found["closed"]
    assert label.startswith("do of loop (") and label.endswith(" operations)")
    assert smaller and height == 26 and hidden > 3 and found["fits"] and found["moved"] < 0.2
