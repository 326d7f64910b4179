"use strict";
// The page is complete without this script: it sorts, filters and searches the tables, and links them with the graph.
// Ranks are told by the numbers of their rows in the table of ranks: data-rows="0-63,70".
function start() {
    const SHOWN = 200;              // rows of a table at once: more are slow, and nobody reads them
    const MOST_CHIPS = 400;         // ranks of one box that unfold in the graph
    const NUMBER = /^-?\d+(,\d{3})*(\.\d+)?$/;
    const COLLATOR = new Intl.Collator("en", {numeric: true});
    const SVG = "http:" + "/" + "/www.w3.org/2000/svg";
    const tables = [];
    let chosen = null;              // the rows that were chosen; null: all

    function parseRows(list) {
        const rows = new Set();
        for (const range of list.split(",").filter(Boolean)) {
            const [first, last] = range.split("-").map(Number);
            for (let row = first; row <= (last === undefined ? first : last); row++)
                rows.add(row);
        }
        return rows;
    }

    function make(name, properties, ...children) {
        const element = Object.assign(document.createElement(name), properties);
        element.append(...children);
        return element;
    }

    function plural(n, noun) {
        return n.toLocaleString("en") + " " + noun + (n === 1 ? "" : "s");
    }

    // Tables.

    // Numbers come before texts, and numbers in texts count as numbers: "9 (world 3)" comes before "10 (world 2)".
    function sortRows(rows, column, sign) {
        const compare = (a, b) => a.isNumber && b.isNumber ? a.number - b.number
            : a.isNumber !== b.isNumber ? (a.isNumber ? -1 : 1) : COLLATOR.compare(a.text, b.text);
        return rows.map((row) => {
            const text = row.texts[column], isNumber = NUMBER.test(text);
            return {row, text, number: isNumber ? Number(text.replaceAll(",", "")) : 0, isNumber};
        }).sort((a, b) => sign * compare(a, b)).map((key) => key.row);
    }

    class Table {
        constructor(section) {
            this.body = section.querySelector("tbody");
            this.heads = [...section.querySelectorAll("thead th")];
            this.titles = this.heads.map((head) => head.textContent);
            this.rows = [...this.body.rows].map((row) => ({
                row, of: Number(row.dataset.row), texts: [...row.cells].map((cell) => cell.textContent.trim())
            }));
            this.shown = SHOWN;
            this.sorting = null;
            this.makeTools(section.querySelector(".tools"));
            this.heads.forEach((head, column) => this.makeSortable(head, column));
            this.show();
        }

        makeTools(tools) {
            this.noun = tools.dataset.noun;
            const filtered = this.heads.findIndex((head) => head.textContent === tools.dataset.filter);
            const values = [...new Set(this.rows.map((row) => row.texts[filtered]))].sort(COLLATOR.compare);
            this.filtered = filtered;
            this.search = make("input", {type: "search"});
            this.filter = make("select", {}, make("option", {value: "", textContent: "all"}),
                ...values.map((value) => make("option", {value: "=" + value, textContent: value})));
            this.count = make("span", {className: "count"});
            this.count.setAttribute("role", "status");
            this.more = make("button", {type: "button", textContent: "Show more", hidden: true});
            this.search.addEventListener("input", () => this.restart());
            this.filter.addEventListener("change", () => this.restart());
            this.more.addEventListener("click", () => {
                this.shown += SHOWN;
                this.show();
                if (this.more.hidden)
                    this.search.focus({preventScroll: true});
            });
            tools.append(make("label", {}, "Search ", this.search),
                make("label", {}, tools.dataset.filter + " ", this.filter), this.count, " ", this.more);
            tools.hidden = false;
        }

        makeSortable(head, column) {
            const button = make("button", {type: "button", textContent: head.textContent});
            head.replaceChildren(button);
            button.addEventListener("click", () => {
                const ascending = head.getAttribute("aria-sort") !== "ascending";
                this.heads.forEach((other) => other.removeAttribute("aria-sort"));
                head.setAttribute("aria-sort", ascending ? "ascending" : "descending");
                this.sorting = {column, sign: ascending ? 1 : -1};
                this.restart();
            });
        }

        restart() {
            this.shown = SHOWN;
            this.show();
        }

        // Those that are chosen, have passed the filter and have all words that are searched.
        find() {
            const words = this.search.value.toLowerCase().split(" ").filter(Boolean), wanted = this.filter.value;
            return this.rows.filter((row) => {
                if (words.length > 0 && row.sought === undefined)
                    row.sought = row.texts.join("\n").toLowerCase();
                return (chosen === null || chosen.has(row.of)) &&
                    (wanted === "" || "=" + row.texts[this.filtered] === wanted) &&
                    words.every((word) => row.sought.includes(word));
            });
        }

        // Only rows that are shown have buttons: to make them for all would take long.
        makeChooser({row, of, texts}) {
            const cell = row.cells[0];
            if (cell.firstElementChild !== null)
                return;
            const button = make("button", {type: "button", className: "rank", textContent: texts[0]});
            button.setAttribute("aria-label", "Rank " + texts[0]);
            button.addEventListener("click", () => choose(new Set([of])));
            cell.replaceChildren(button);
        }

        show() {
            const focused = document.activeElement;
            let found = this.find();
            if (this.sorting !== null)
                found = sortRows(found, this.sorting.column, this.sorting.sign);
            const shown = found.slice(0, this.shown);
            shown.forEach((row) => this.makeChooser(row));
            this.body.replaceChildren(...shown.map((row) => row.row));
            this.more.hidden = found.length <= this.shown;
            this.count.textContent = found.length > this.shown
                ? plural(found.length, this.noun) + ", of which " + this.shown + " are shown"
                : plural(found.length, this.noun) + (found.length < this.rows.length
                    ? " of " + this.rows.length.toLocaleString("en") : "");
            if (focused !== document.activeElement && focused.isConnected)
                focused.focus({preventScroll: true});
        }
    }

    // The choice of ranks, which all parts show.

    const boxes = [...document.querySelectorAll(".graph [data-rows]")].map((element) => (
        {element, rows: parseRows(element.dataset.rows), causes: parseRows(element.dataset.causes)}))
        .filter((box) => box.rows.size > 0);
    let chooser = null;             // what the focus returns to when the choice ends

    function sameRows(a, b) {
        return a !== null && b !== null && a.size === b.size && [...a].every((row) => b.has(row));
    }

    function nameOf(row) {
        return tables[0].rows[row].texts[0];
    }

    // With its job and its user if there are several.
    function describe(row) {
        return "rank " + nameOf(row) + ["Job", "User"].map((title) => {
            const column = tables[0].titles.indexOf(title);
            return column < 0 ? "" : " of " + title.toLowerCase() + " " + tables[0].rows[row].texts[column];
        }).join("");
    }

    function showChoice() {
        const bar = document.getElementById("choice");
        for (const box of boxes) {
            const is = chosen !== null && [...box.rows].some((row) => chosen.has(row));
            box.element.classList.toggle("chosen", is);
            box.element.setAttribute("aria-pressed", String(is));
        }
        for (const chip of document.querySelectorAll(".graph .chip"))
            chip.classList.toggle("chosen",
                chosen !== null && chosen.size === 1 && chosen.has(Number(chip.dataset.row)));
        tables.forEach((table) => table.restart());
        bar.hidden = chosen === null;
        if (chosen === null)
            return;
        const all = make("button", {type: "button", textContent: "Show all ranks (Escape)"});
        all.addEventListener("click", () => choose(null));
        const isDrawn = boxes.some((box) => box.element.classList.contains("chosen"));
        const who = chosen.size === 1 ? describe([...chosen][0]) : plural(chosen.size, "rank");
        bar.replaceChildren("The tables show only " + who + (isDrawn ? "." : ", not drawn in the graph."), all);
    }

    // Chooses ranks; what is chosen already is no longer.
    function choose(rows) {
        chosen = rows === null || rows.size === 0 || sameRows(rows, chosen) ? null : rows;
        const focused = document.activeElement;
        if (chosen !== null)
            chooser = focused;
        showChoice();
        if (focused !== document.body && focused.getClientRects().length === 0)
            (chooser !== null && chooser.isConnected ? chooser : tables[0].search).focus({preventScroll: true});
        const box = chosen !== null && boxes.find((one) => one.element.classList.contains("chosen"));
        if (box && !box.element.contains(document.activeElement))
            box.element.scrollIntoView({block: "nearest", inline: "nearest"});
    }

    // Makes an element of the graph a button.
    function press(element, action) {
        element.addEventListener("click", action);
        element.addEventListener("keydown", (event) => {
            if (event.key === "Enter" || event.key === " ") {
                event.preventDefault();
                action();
            }
        });
    }

    // Boxes of several ranks unfold.

    function draw(name, attributes, text) {
        const element = document.createElementNS(SVG, name);
        for (const [key, value] of Object.entries(attributes))
            element.setAttribute(key, value);
        if (text !== undefined)
            element.textContent = text;
        return element;
    }

    function drawButton(attributes, x, y, width, text) {
        const group = draw("g", {role: "button", tabindex: "0", ...attributes});
        group.append(draw("rect", {x, y, width, height: 24, rx: 3}), draw("text", {x: x + width / 2, y: y + 16}, text));
        return group;
    }

    function drawChips(svg, box) {
        const COLUMNS = 8, WIDTH = 56, HEIGHT = 28, GAP = 4;
        const rect = box.element.querySelector("rect");
        const x = Math.max(4, Number(rect.getAttribute("x")));
        const y = Number(rect.getAttribute("y")) + Number(rect.getAttribute("height")) + 8;
        const rows = [...box.rows].slice(0, MOST_CHIPS), left = box.rows.size - rows.length;
        const lines = Math.ceil(rows.length / COLUMNS) + (left > 0 ? 1 : 0);
        const group = draw("g", {class: "chips"});
        const width = COLUMNS * WIDTH + GAP, height = lines * HEIGHT + GAP;
        group.append(draw("rect", {x, y, width, height, rx: 4}));
        rows.forEach((row, i) => {
            const isCause = box.causes.has(row);
            const chip = drawButton({class: isCause ? "chip cause" : "chip", "data-row": row,
                "aria-label": "Rank " + nameOf(row) + (isCause ? ", cause" : "")},
                x + GAP + (i % COLUMNS) * WIDTH, y + GAP + Math.floor(i / COLUMNS) * HEIGHT, WIDTH - GAP, nameOf(row));
            press(chip, () => choose(new Set([row])));
            group.append(chip);
        });
        if (left > 0)
            group.append(draw("text", {x: x + width / 2, y: y + height - 8}, "and " + left + " more: see the table"));
        svg.append(group);
        grow(svg, x + width + 8, y + height + 8);
        return group;
    }

    function grow(svg, right, bottom) {
        const width = Math.max(right, Number(svg.getAttribute("width")));
        const height = Math.max(bottom, Number(svg.getAttribute("height")));
        svg.setAttribute("width", width);
        svg.setAttribute("height", height);
        svg.setAttribute("viewBox", "0 0 " + width + " " + height);
    }

    function makeUnfolding(svg, box) {
        const rect = box.element.querySelector("rect");
        const x = Number(rect.getAttribute("x")) + Number(rect.getAttribute("width")) - 26;
        const who = box.element.parentNode.querySelector(".who").textContent;
        const button = drawButton({class: "unfold", "aria-expanded": "false", "aria-label": "Unfold ranks " + who}, x,
            Number(rect.getAttribute("y")) + 2, 24, "+");
        let chips = null;
        function unfold() {
            chips = drawChips(svg, box);
            chips.addEventListener("keydown", (event) => {
                if (event.key !== "Escape" || chosen !== null)
                    return;
                foldAgain();
                button.focus();
            });
            showState();
            // They are last in the order of Tab, and lie over the boxes below.
            chips.querySelector(".chip").focus();
        }
        function foldAgain() {
            chips.remove();
            chips = null;
            showState();
        }
        function showState() {
            button.setAttribute("aria-expanded", String(chips !== null));
            button.querySelector("text").textContent = chips === null ? "+" : "\u2212";
        }
        press(button, () => chips === null ? unfold() : foldAgain());
        box.element.parentNode.after(button);
    }

    for (const tools of document.querySelectorAll(".tools"))
        tables.push(new Table(tools.parentElement));
    for (const box of boxes) {
        for (const [name, value] of Object.entries({role: "button", tabindex: "0", "aria-pressed": "false"}))
            box.element.setAttribute(name, value);
        press(box.element, () => choose(box.rows));
        if (box.rows.size > 1)
            makeUnfolding(box.element.ownerSVGElement, box);
    }
    for (const button of document.querySelectorAll(".choose")) {
        button.disabled = false;
        button.addEventListener("click", () => choose(parseRows(button.dataset.rows)));
    }
    // A row that its table does not show comes with its rank.
    for (const link of document.querySelectorAll(".about"))
        link.addEventListener("click", () => {
            if (document.getElementById(link.hash.slice(1)) === null)
                choose(parseRows(link.dataset.rows));
        });
    for (const element of document.querySelectorAll(".scripted"))
        element.hidden = false;
    document.addEventListener("keydown", (event) => {
        const clearsField = event.target.type === "search" && event.target.value !== "";
        if (event.key === "Escape" && chosen !== null && !clearsField)
            choose(null);
    });

    // Lists that are shortened are printed whole.
    let unfolded = [];
    window.addEventListener("beforeprint", () => {
        unfolded = [...document.querySelectorAll("details:not([open])")];
        unfolded.forEach((details) => { details.open = true; });
    });
    window.addEventListener("afterprint", () => unfolded.forEach((details) => { details.open = false; }));
}

// Until most rows are taken away browsers would lay out long tables again and again, while these come.
document.documentElement.classList.add("coming");
document.addEventListener("DOMContentLoaded", () => {
    try {
        start();
    } finally {
        document.documentElement.classList.remove("coming");
    }
});
