#!/usr/bin/env python3
"""The page that mqdump --html writes, in a browser, used as a person would use it.

Pages of real jobs, a deadlock, a wrong collective operation among 64 ranks, a flood of messages and a healthy job, and
of made-up records of 1,000 and 10,000 ranks and of hostile names. In each case the console stays without errors, and
nothing but the page is asked for.

axe-core, which looks for what keeps people from using a page, comes from npm into build/; nothing of it is in the page.
"""

import base64
import hashlib
import html
import json
import os
import random
import re
import shutil
import subprocess
import sys
import tarfile

HERE = os.path.dirname(os.path.abspath(__file__))
TOP = os.path.dirname(os.path.dirname(HERE))
BENCH = os.path.join(TOP, "tests", "bench")
sys.path.insert(0, BENCH)

import browser
import cases
import hostile_texts
import job
import large_jobs
import make_record
import run
import script
import verdicts
import whole_lines
from cases import expect

AXE = "axe-core@4.14.1"
MAX_LINES = 100                     # of the report as text
N_MESSAGES = 99999                  # of three senders
WRONG = large_jobs.Shape("wrong", lambda rank, n: ["barrier 0" if rank == n // 4 else "allreduce 0 8"],
                         lambda n: f"Different collectives. Ranks 0-{n - 1} wait in different collective operations on "
                                   "MPI_COMM_WORLD.")
N_OPERATIONS = 20000                # that differ, of a hundred ranks: in ten lines of a record for each of them
WORK = {"LayoutCount": 60, "RecalcStyleCount": 60}
NODES = 25                          # for each row of a long table
DEPTH = 80                          # of a stack
HOSTILE = "\"><img src=x onerror=window.bad=1>'</script>\x01\u202e&"
HOSTILE_KEYS = ("name", "job", "executable", "function", "place", "host", "mqdump", "datatype")
# Control characters, and what controls the direction of text.
CONTROLS = r"/[\u0000-\u0008\u000b-\u001f\u007f-\u009f\u200e\u200f\u202a-\u202e\u2066-\u2069]/"
SCHEMA = os.path.join(TOP, "mqd", "dump", "mqdump-record.schema.json")
LEAST_PAGES, LEAST_SHOWN = 50, 25   # of records with one hostile text
SERIOUS = ("serious", "critical")
RANKS, OPERATIONS = "#ranks", "#operations"
BOXES = ".graph g[data-rows][role=button]"


class Records:
    """The records of the cases, each made when it is first asked for."""

    def __init__(self, mqdump, compiler, scratch):
        self.mqdump = mqdump
        self.compiler = compiler
        self.scratch = scratch
        self.made = {}

    def compile(self, name, *sources):
        path = os.path.join(self.scratch, name)
        if not os.path.exists(path):
            job.compile_program(self.compiler, [os.path.join(TOP, source) for source in sources], path,
                                options=(f"-I{TOP}",))
        return path

    def get(self, name):
        kind, *arguments = name.split("-")
        if name not in self.made:
            self.made[name] = None
            make = getattr(self, f"make_{kind}", None)
            self.made[name] = make(*arguments) if make else self.save(large_jobs.SMALL_SHAPES[name], large_jobs.SMALL)
        expect(self.made[name], f"there is no record of {name}: see above")
        return self.made[name]

    def save(self, shape, n):
        """Of a real job, as soon as all of its ranks are where they stay."""
        self.compile("prog_script", *(f"tests/live/{name}" for name in run.SCRIPT_SOURCES))
        return large_jobs.save_small(self.mqdump, self.scratch, shape, self.scratch, n)

    def make_wrong(self):
        return self.save(WRONG, 64)

    def make_flood(self):
        program = self.compile("prog_script", *(f"tests/live/{name}" for name in run.SCRIPT_SOURCES))
        command = [program, *script.command(large_jobs.flood(4, N_MESSAGES), 4, True)]
        record = os.path.join(self.scratch, "flood.record")
        with job.Job(os.path.join(self.scratch, "flood"), command, 4) as running:
            running.await_truths()
            result = self.mqdump.run(running.pids, "--save", record, "--communicators")
        expect(result.returncode == 0, f"mqdump ended with {result.returncode}: {result.stderr}")
        return record

    def make_large(self, n):
        record = os.path.join(self.scratch, f"{n}.record")
        with open(record, "w", encoding="utf-8") as output:
            make_record.Large(output, self.get("missing"), int(n), tree=True).write()
        return record

    def make_operations(self):
        """Operations that have nothing in common, so that each has a row."""
        hundred, record = (os.path.join(self.scratch, f"operations{end}.record") for end in ("-100", ""))
        with open(hundred, "w", encoding="utf-8") as output:
            make_record.Large(output, self.get("ring"), 100).write()
        numbers = random.Random(1)
        n_lines = 0
        with open(hundred, encoding="utf-8") as file, open(record, "w", encoding="utf-8") as output:
            for line in map(json.loads, file):
                n_lines += 1
                repeated = 10 if line["line"] == "operations" else 1
                for _ in range(repeated):
                    if repeated > 1:
                        line["operations"] = [{**line["operations"][0], "desired_tag": numbers.randrange(1 << 15),
                                               "desired_length": numbers.randrange(1 << 20)}
                                              for _ in range(N_OPERATIONS // 1000)]
                    output.write(json.dumps({**line, "lines": n_lines} if line["line"] == "end" else line) + "\n")
                n_lines += repeated - 1
        return record

    def make_deep(self):
        """Threads of which each calls one function more than the one before: as many branches around each other."""
        record = os.path.join(self.scratch, "deep.record")
        with open(self.get("ring"), encoding="utf-8") as file:
            header, *lines = whole_lines.whole_lines(map(json.loads, file))
        numbers = range(DEPTH)
        lines = [{**header, "stacks": True},
                 *({"line": "frame", "number": i, "text": f"function_{i}"} for i in numbers),
                 *({"line": "stack", "number": i, "frames": [i - k for k in range(i + 1)]} for i in numbers), *lines]
        for line in lines:
            if line["line"] == "rank":
                line["calls"].update(has_stacks=True, stacks=[{"stack": i, "thread": i + 1} for i in numbers])
        lines[-1]["lines"] = len(lines)
        with open(record, "w", encoding="utf-8") as output:
            output.writelines(json.dumps(line) + "\n" for line in lines)
        return record

    def make_hostile(self):
        record = os.path.join(self.scratch, "hostile.record")
        with open(self.get("ring"), encoding="utf-8") as file, open(record, "w", encoding="utf-8") as output:
            for line in file:
                output.write(json.dumps(self.hostile(json.loads(line))) + "\n")
        return record

    def hostile(self, value):
        """The same with other names, where names are texts."""
        if isinstance(value, dict):
            return {key: HOSTILE if key in HOSTILE_KEYS and isinstance(item, str) else
                    [HOSTILE] if key == "extra_text" and isinstance(item, list) else self.hostile(item)
                    for key, item in value.items()}
        return [self.hostile(item) for item in value] if isinstance(value, list) else value


class Pages:
    """The cases, in one browser."""

    def __init__(self, records, scratch, driven):
        self.records = records
        self.scratch = scratch
        self.browser = driven
        self.path = None

    def text(self, selector):
        return self.browser.run("return document.querySelector(arguments[0]).textContent", selector)

    def count(self, selector):
        return self.browser.run("return document.querySelectorAll(arguments[0]).length", selector)

    def column(self, table, n):
        """The texts of the n-th column of the rows that are shown."""
        return self.browser.run("return [...document.querySelectorAll(arguments[0] + ' tbody tr')]"
                                ".map((row) => row.cells[arguments[1]].textContent)", table, n)

    def focused(self, selector):
        return self.browser.run("return document.activeElement.matches(arguments[0])", selector)

    def write(self, name):
        """Writes the page of a record, and checks what mqdump says in text."""
        path = os.path.join(self.scratch, f"{name}.html")
        result = self.records.mqdump.start(["--html", path, self.records.get(name)])
        expect(result.returncode == 0 and os.path.exists(path), f"mqdump --html: {result.stderr}")
        self.path = path
        lines = result.stdout.splitlines()
        expect(len(lines) <= MAX_LINES, f"the report of {name} has {len(lines)} lines")
        for line in lines:
            expect(len(line) <= run.TABLE_COLUMNS, f"a line of the report of {name} has {len(line)} columns: {line}")

    def open(self, name):
        if self.path != os.path.join(self.scratch, f"{name}.html"):
            self.write(name)
        self.browser.resize(1280)
        self.browser.prefer("light")
        self.browser.open(self.path)

    def check_quiet(self):
        complaints, requests = self.browser.complaints(), self.browser.requests()
        expect(not complaints, f"the console says {complaints}")
        others = [address for address in requests if address != f"file://{self.path}"]
        expect(not others, f"the page asks for {others}")

    def run_case(self, name, check):
        try:
            self.open(name)
            check()
            self.check_quiet()
        except browser.BrowserError as error:
            raise run.Failure(str(error)) from error
        finally:
            self.browser.complaints()
            self.browser.requests()

    # Cases.

    def check_policy(self):
        """The page allows its own script and style, by their hashes, and nothing else."""
        with open(self.path, encoding="utf-8") as file:
            page = file.read()
        hashes = {}
        for tag in ("script", "style"):
            found = re.findall(f"<{tag}>(.*?)</{tag}>", page, re.DOTALL)
            expect(len(found) == 1 == page.count(f"<{tag}"), f"the page has {len(found)} of <{tag}>")
            hashes[tag] = base64.b64encode(hashlib.sha256(found[0].encode()).digest()).decode()
        policy = (f"default-src 'none'; style-src 'sha256-{hashes['style']}'; script-src 'sha256-{hashes['script']}'; "
                  "base-uri 'none'; form-action 'none'")
        expect(f'http-equiv=Content-Security-Policy content="{policy}"' in page, f"the policy is not {policy}")
        self.check_quiet()
        ran = self.browser.run("const script = document.createElement('script');"
                               "script.textContent = 'window.bad = 1';"
                               "document.body.append(script); return window.bad === 1")
        expect(not ran, "a script that is not the page's has run")
        expect("Content Security Policy" in "".join(self.browser.complaints()), "the policy forbids nothing")

    def check_ring(self):
        expect("Deadlock" in self.text("#why"), "no deadlock")
        expect(self.count(BOXES) == 4 == self.count(".graph path.wait.circle"), "the circle is not there")
        self.browser.click("#node-1")
        expect(self.column(RANKS, 0) == ["1"] == self.column(OPERATIONS, 0), "a box does not choose its rank")
        self.browser.click("#node-1")
        expect(len(self.column(RANKS, 0)) == 4, "a box that is chosen again still is")
        self.browser.click(f"{RANKS} tbody tr:nth-child(3) button")
        chosen = self.browser.run("return [...document.querySelectorAll('.graph .chosen title')].map((t) => "
                                  "t.textContent)")
        expect(len(chosen) == 1 and chosen[0].startswith("rank 2:"), f"rank 2 does not stand out: {chosen}")
        self.browser.click("#choice button")
        expect(self.count(".graph .chosen") == 0, "all ranks are not shown again")
        self.browser.click(f"{OPERATIONS} tbody tr:nth-child(4) button")
        chosen = self.browser.run("return document.querySelector('.graph .chosen title').textContent")
        expect(chosen.startswith("rank 3:") and self.count(".graph .chosen") == 1 and
                self.column(RANKS, 0) == ["3"], f"an operation does not choose its rank, but {chosen}")
        self.browser.press("escape")
        self.browser.click("#why .choose")
        expect(self.count(".graph .chosen") == 4, "the button of a finding does not choose its ranks")

    def check_wrong(self):
        expect("Rank 16 is in MPI_Barrier" in self.text("#why"), "the wrong rank is not named")
        expect(self.count(BOXES) == 2 == self.count(".graph path.wait.circle"), "the wrong rank is not seen in the graph")
        expect(len(self.column(RANKS, 0)) == 64, "not all ranks are there")
        self.browser.type(f"{RANKS} input", "MPI_Barrier")
        expect(self.column(RANKS, 0) == ["16"], f"the search finds {self.column(RANKS, 0)}")

    def check_flood(self):
        expect("Flood of messages" in self.text("#why"), "no flood")
        numbers = [int(number.replace(",", "")) for number in self.browser.run(
            "const heads = [...document.querySelectorAll('#operations th')].map((head) => head.textContent);"
            "return [...document.querySelectorAll('#operations tbody tr')]"
            ".map((row) => row.cells[heads.indexOf('Number')].textContent)")]
        expect(sum(numbers) == N_MESSAGES, f"the operations are {sum(numbers)}")
        expect(os.path.getsize(self.path) < 1 << 20, f"the page has {os.path.getsize(self.path)} bytes")
        # The finding leads to its communicator, also if the tables show another rank.
        self.browser.click(f"{RANKS} tbody tr:nth-child(4) button")
        expect(len(self.column("#handles", 0)) == 1, "the tables do not show one rank")
        self.browser.click("#why .about")
        told = self.browser.run("return document.querySelector(location.hash + ':target').parentElement.textContent")
        expect("MPI_COMM_WORLD" in told, f"the finding leads to {told}")

    def check_unfolding(self):
        """On the page of the healthy job, whose ranks are one box."""
        expect("Nothing suspicious." in self.text("#why"), "something is suspicious")
        self.browser.click(".graph .unfold")
        expect(self.count(".graph .chip") == 4, "a box does not unfold")
        expect(self.focused(".chip"), "the ranks of a box do not get the focus")
        self.browser.click(".graph .chip:nth-of-type(4)")
        expect(self.column(RANKS, 0) == ["3"], f"a rank of a box chooses {self.column(RANKS, 0)}")
        self.browser.press("escape")
        expect(len(self.column(RANKS, 0)) == 4, "Escape does not end the choice")
        self.browser.press("escape")
        expect(self.count(".graph .chip") == 0 and self.focused(".unfold"), "Escape does not fold the box again")

    def check_tables(self):
        """Of 1,000 ranks: sorted, filtered, searched, and more of them shown."""
        expect(len(self.column(RANKS, 0)) == 200, "not 200 rows are shown")
        self.browser.click(f"{RANKS} .tools button")
        expect(len(self.column(RANKS, 0)) == 400, "not 200 more are shown")
        for ascending in (True, False):
            self.browser.click(f"{RANKS} th:first-child button")
            expected = sorted(range(1000), reverse=not ascending)[:200]
            expect([int(rank) for rank in self.column(RANKS, 0)] == expected, "the ranks are not sorted by number")
            expect(self.count(f"{RANKS} th[aria-sort={'ascending' if ascending else 'descending'}]") == 1,
                    "the order is not told")
        self.browser.type(f"{RANKS} input", "MPI_Recv")
        expect(self.column(RANKS, 0) == ["0"], f"the search finds {self.column(RANKS, 0)}")
        self.browser.run("const filter = document.querySelector('#operations select'); filter.value = '=receive';"
                         "filter.dispatchEvent(new Event('change'))")
        expect(set(self.column(OPERATIONS, 2)) == {"receive"}, "the filter lets others through")

    def check_hostile(self):
        expect(not self.browser.run("return 'bad' in window"), "a name has run as a script")
        expect(self.count("img") == 0 and self.count("script") == 1, "a name has become an element")
        names = self.browser.run("return [...new Set([...document.querySelectorAll('*')].flatMap((element) => "
                                 "element.getAttributeNames()))]")
        expect(not [name for name in names if name.startswith("on") or name in ("src", "style")],
                f"there are attributes {names}")
        for selector in ("title", "#why", ".graph text.who ~ text, .graph .label", RANKS, OPERATIONS, "#basis"):
            expect("<img" in self.text(selector), f"the names are not in {selector}")
        left = self.browser.run("return [...document.querySelectorAll('*')].flatMap((element) => "
                                "[...element.attributes].map((attribute) => attribute.value))"
                                ".concat(document.documentElement.textContent)"
                                f".filter((text) => {CONTROLS}.test(text))")
        expect(not left, f"control characters are left in {left[0][:500] if left else ''}")

    def check_each_text(self):
        """Of a record in which one text is hostile, whichever it is, the page has no other elements and attributes."""
        record, path = (os.path.join(self.scratch, f"text.{end}") for end in ("record", "html"))
        n_pages, shown = 0, []
        for name, lines in hostile_texts.variants(self.records.get("ring"), SCHEMA):
            with open(record, "w", encoding="utf-8") as output:
                output.writelines(json.dumps(line) + "\n" for line in lines)
            with open(path, "w", encoding="utf-8"):
                pass
            ended = self.records.mqdump.start(["--html", path, record])
            expect(ended.returncode in (0, 1, 2), f"{name}: mqdump ended with {ended.returncode}: {ended.stderr}")
            with open(path, encoding="utf-8") as file:
                page = file.read()
            if not page:            # what no record can have
                continue
            n_pages += 1
            foreign, scripts, controls, is_shown = self.browser.run(
                "const page = new DOMParser().parseFromString(arguments[0], 'text/html');"
                "const all = [...page.querySelectorAll('*')], text = page.documentElement.textContent;"
                "return [page.querySelectorAll('img, [a]').length, page.scripts.length, all.flatMap((element) => "
                f"[...element.attributes].map((one) => one.value)).concat(text).filter((one) => {CONTROLS}.test(one))"
                ".length, text.includes(arguments[1])]", page, hostile_texts.HOSTILE[:-1])
            expect((foreign, scripts, controls) == (0, 1, 0), f"{name}: {foreign} foreign elements, {scripts} "
                    f"scripts, and {controls} texts with control characters")
            shown += [name] if is_shown else []
        print(f"  {n_pages} pages, of which {len(shown)} show the text", flush=True)
        expect(n_pages >= LEAST_PAGES and len(shown) >= LEAST_SHOWN, f"only {shown} are on the pages")

    def check_scriptless(self):
        """The verdicts, the graph and the tables are there, and no button that does nothing."""
        self.browser.allow_scripts(False)
        try:
            self.browser.open(self.path)
            expect("Deadlock" in self.text("#why") and self.count(".graph .who") == 4, "no verdict or no graph")
            expect(len(self.column(RANKS, 0)) == 4 == len(self.column(OPERATIONS, 0)), "no tables")
            dead = self.browser.run("return [...document.querySelectorAll('button, input, [role=button]')]"
                                    ".filter((one) => one.checkVisibility() && !one.disabled).length")
            expect(dead == 0, f"{dead} buttons do nothing")
        finally:
            self.browser.allow_scripts(True)

    def write_variant(self, name, change):
        """Another page, made of the text of this one. Returns its path."""
        path = os.path.join(self.scratch, f"{name}.html")
        with open(self.path, encoding="utf-8") as page, open(path, "w", encoding="utf-8") as variant:
            variant.write(change(page.read()))
        return path

    def check_sandbox(self):
        """In a frame as mail programs have for attachments: with scripts, and without. Then there are only texts."""
        for allowed in ("allow-scripts", ""):
            frame = self.write_variant("frame", lambda page, allowed=allowed: "<!DOCTYPE html><title>mail</title>"
                                       f'<iframe width=1200 height=800 sandbox="{allowed}" '
                                       f'srcdoc="{html.escape(page)}"></iframe>')
            self.browser.open(frame)
            self.browser.enter("iframe")
            expect("Deadlock" in self.text("#why") and self.count(".graph .who") == 4, "no verdict or no graph")
            expect(len(self.column(RANKS, 0)) == 4, "no tables")
            expect(self.count(f"{RANKS} td button") == (4 if allowed else 0), f"buttons with sandbox=\"{allowed}\"")
            expect(not self.browser.complaints(), "the console says something")
            self.browser.requests()

    def check_no_style(self):
        """Where a policy from outside allows no style, boxes do not cover their texts."""
        strict = "<meta http-equiv=Content-Security-Policy content=\"default-src 'none'\">"
        self.browser.open(self.write_variant("strict", lambda page: page.replace("<meta", strict + "<meta", 1)))
        fills = self.browser.run("return [...document.querySelectorAll('.graph rect, .graph path.wait')]"
                                 ".map((one) => getComputedStyle(one).fill)")
        expect(len(fills) == 12 and set(fills) == {"none"}, f"without style boxes and arrows are filled: {fills}")
        expect(self.browser.run("return [...document.querySelectorAll('table')].every((one) => "
                                 "one.getBoundingClientRect().height > 0)"), "without script tables are not seen")
        self.browser.complaints()       # of the stricter policy
        self.browser.requests()

    def check_looks(self):
        """Dark, on paper, and enlarged to 200 %."""
        brightness = "return Number(getComputedStyle(document.body).backgroundColor.match(/[0-9]+/)[0])"
        light = self.browser.run(brightness)
        self.browser.prefer("dark")
        expect(self.browser.run(brightness) < 64 < 192 < light, "dark is as light")
        pdf = self.browser.print()
        expect(pdf.startswith(b"%PDF") and len(pdf) > 5000, f"on paper the page has {len(pdf)} bytes")
        self.browser.prefer_paper("dark")
        self.browser.resize(700)
        right = self.browser.run("return Math.max(...[...document.querySelectorAll('table')].map((table) => "
                                 "table.getBoundingClientRect().right))")
        expect(right <= 700, f"on paper of 700 pixels a table is {right} wide")
        expect(self.browser.run(brightness) == light, "on paper dark is dark")
        self.browser.prefer("dark")
        self.browser.resize(640)
        width = self.browser.run("return document.documentElement.scrollWidth")
        expect(width <= 640, f"of 640 pixels the page is {width} wide")
        narrow = self.browser.run("return [...document.querySelectorAll('#stacks button')].filter((button) => "
                                  "button.getBoundingClientRect().height > 60).length")
        expect(narrow == 0, f"{narrow} buttons of stacks are squeezed")

    def tab_to(self, selector):
        for _ in range(60):
            self.browser.press("tab")
            expect(not self.focused("body"), f"the focus is lost before {selector}")
            expect(self.browser.run("const style = getComputedStyle(document.activeElement);"
                                     "return style.outlineStyle !== 'none' && parseFloat(style.outlineWidth) >= 2"),
                    "the focus is not seen")
            if self.focused(selector):
                return
        raise run.Failure(f"Tab does not reach {selector}")

    def check_keyboard(self):
        self.tab_to(BOXES)
        self.browser.press("enter")
        expect(len(self.column(RANKS, 0)) == 1 and self.focused("[aria-pressed=true]"), "Enter does not choose a box")
        self.browser.press("escape")
        expect(len(self.column(RANKS, 0)) == 4 and self.focused(BOXES), "Escape does not end the choice")
        self.tab_to(f"{RANKS} th button")
        for first in ("0", "3"):
            self.browser.press("enter")
            expect(self.column(RANKS, 0)[0] == first, "Enter does not sort")
        self.tab_to(f"{RANKS} td button")
        self.browser.press("space")
        expect(self.column(RANKS, 0) == ["3"] and self.focused(f"{RANKS} td button"), "Space does not choose a rank")
        self.tab_to("#choice button")
        self.browser.press("enter")
        expect(len(self.column(RANKS, 0)) == 4 and self.focused(f"{RANKS} td button"),
                "the focus does not return to what has chosen")

    def check_work(self, what, before, n):
        """The browser lays out what is seen, and that not often, however many rows there are."""
        work = self.browser.work()
        done = {name: work[name] - before[name] for name in work}
        print(f"  {what}: {os.path.getsize(self.path) / 1e6:.1f} MB, {done}", flush=True)
        limits = {**WORK, "Nodes": NODES * n}
        expect(all(done[name] <= limit for name, limit in limits.items()), f"{what}: {done}, at most {limits}")

    def check_speed(self, n):
        """What a search makes the browser do, from the beginning until it is answered."""
        before = self.browser.work()
        self.browser.open(self.path)
        self.browser.type(f"{RANKS} input", "MPI_Recv")
        expect(self.column(RANKS, 0) == ["0"], f"the search finds {self.column(RANKS, 0)}")
        self.check_work(f"a search among {n} ranks", before, n)

    def check_many_operations(self):
        """A long table is not laid out again and again while it comes."""
        before = self.browser.work()
        self.browser.open(self.path)
        bytes_column = self.browser.run("return [...document.querySelectorAll('#operations th')]"
                                        ".findIndex((head) => head.textContent === 'Bytes')")
        self.browser.click(f"{OPERATIONS} th:nth-child({bytes_column + 1}) button")
        numbers = [int(number.replace(",", "")) for number in self.column(OPERATIONS, bytes_column)]
        count = self.text(f"{OPERATIONS} .count")
        expect(count.startswith(f"{N_OPERATIONS:,} operations"), f"of {N_OPERATIONS} operations there are {count}")
        expect(len(numbers) == 200 and numbers == sorted(numbers) and len(str(numbers[0])) < len(str(numbers[-1])),
                "bytes are not sorted as numbers")
        self.check_work(f"{N_OPERATIONS} operations are sorted", before, N_OPERATIONS)

    def check_accessible(self, axe):
        for scheme, width in (("light", 1280), ("dark", 1280), ("light", 400)):
            self.browser.prefer(scheme)
            self.browser.resize(width)
            self.browser.open(self.path)
            for unfold in self.browser.run("return [...document.querySelectorAll('.unfold')].slice(0, 1)"):
                self.browser.run("arguments[0].dispatchEvent(new Event('click'))", unfold)
            self.check_quiet()
            self.browser.run(axe)
            found = self.browser.wait("const done = arguments[arguments.length - 1]; axe.run(document).then((all) => "
                                      "done(all.violations.map((one) => [one.impact, one.id, one.help, "
                                      "one.nodes.length, one.nodes[0].html])))")
            # What it adds to the page is against the page's policy.
            self.browser.complaints()
            self.browser.requests()
            texts = [f"{impact}: {name}: {text} ({n} times: {first[:200]})" for impact, name, text, n, first in found]
            for text in texts:
                print(f"  {scheme}, {width} pixels: {text}", flush=True)
            expect(not [one for one in found if one[0] in SERIOUS], f"{scheme}, {width} pixels:\n" + "\n".join(texts))

    def run_accessible(self, name):
        axe = fetch_axe()
        self.run_case(name, lambda: self.check_accessible(axe))

    def labelled(self):
        cases = [("policy", "ring", self.check_policy), ("ring", "ring", self.check_ring),
                 ("keyboard", "ring", self.check_keyboard), ("no scripts", "ring", self.check_scriptless),
                 ("sandbox", "ring", self.check_sandbox), ("no style", "ring", self.check_no_style),
                 ("dark, paper, 200 %", "ring", self.check_looks), ("hostile", "hostile", self.check_hostile),
                 ("each text", "ring", self.check_each_text),
                 ("healthy, unfold", "healthy", self.check_unfolding), ("wrong collective", "wrong", self.check_wrong),
                 ("wrong collective, 200 %", "wrong", self.check_looks), ("flood", "flood", self.check_flood),
                 ("flood, 200 %", "flood", self.check_looks), ("1,000 ranks, tables", "large-1000", self.check_tables),
                 ("1,000 ranks", "large-1000", lambda: self.check_speed(1000)),
                 ("1,000 ranks, 200 %", "large-1000", self.check_looks),
                 ("deep stacks, 200 %", "deep", self.check_looks),
                 ("10,000 ranks", "large-10000", lambda: self.check_speed(10000)),
                 (f"{N_OPERATIONS:,} operations", "operations", self.check_many_operations)]
        return ([(label, lambda name=name, check=check: self.run_case(name, check)) for label, name, check in cases] +
                [(f"{name}, axe-core", lambda name=name: self.run_accessible(name))
                 for name in ("ring", "healthy", "wrong", "flood", "hostile", "large-1000")])


def fetch_axe():
    """The script of axe-core, which npm brings once."""
    directory = os.path.join(TOP, "build", AXE)
    path = os.path.join(directory, "axe.min.js")
    if not os.path.exists(path):
        if not shutil.which("npm"):
            raise run.Skip("no npm (Debian: npm), which brings axe-core")
        os.makedirs(directory, exist_ok=True)
        result = subprocess.run(["npm", "pack", "--silent", AXE], cwd=directory, stdin=subprocess.DEVNULL,
                                capture_output=True, text=True, check=False)
        if result.returncode != 0:
            raise run.Skip(f"npm does not bring {AXE}: {result.stderr.strip()}")
        with tarfile.open(os.path.join(directory, result.stdout.split()[-1])) as archive:
            content = archive.extractfile("package/axe.min.js").read()
        with open(f"{path}.new", "wb") as file:
            file.write(content)
        os.rename(f"{path}.new", path)
    with open(path, encoding="utf-8") as file:
        return file.read()


def run_all(arguments, mqdump, scratch):
    with browser.Browser(os.path.join(scratch, "browser")) as driven:
        pages = Pages(Records(mqdump, arguments.cc, scratch), scratch, driven)
        arguments.jobs = 1      # there is one browser
        return cases.run(pages.labelled(), arguments, scratch)


def test(arguments):
    problem = browser.problem()
    if problem:
        print(f"skipped: {problem}")
        return job.SKIPPED
    return run.test_suite("page", arguments, job.HERE, job.HERE,
                          lambda mqdump, scratch: run_all(arguments, mqdump, scratch))


if __name__ == "__main__":
    sys.exit(test(verdicts.argument_parser(__doc__).parse_args()))
