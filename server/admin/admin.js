// The status page works without this. With it the table is searched while one types, and the
// page brings itself up to date without being loaded again.
"use strict";
(() => {
  const every = 10000; // milliseconds
  const get = id => document.getElementById(id);
  const all = selector => [...document.querySelectorAll(selector)];

  // find hides the rows that are not asked for.
  const find = () => {
    const q = get("q"), table = get("sites");
    if (!q || !table) return;
    const text = q.value.trim().toLowerCase(), trouble = get("show").checked;
    const rows = [...table.tBodies[0].rows].filter(row => row.querySelector("th"));
    let shown = 0;
    for (const row of rows) {
      row.hidden = !row.cells[0].textContent.toLowerCase().includes(text) || (trouble && !("trouble" in row.dataset));
      if (!row.hidden) shown++;
    }
    const found = shown.toLocaleString("en") + " of " + Number(table.dataset.sites).toLocaleString("en");
    if (get("found").textContent != found) get("found").textContent = found;
    const here = new URL(location.href);
    for (const [key, value] of [["q", q.value.trim()], ["show", trouble ? "trouble" : ""]]) {
      if (value) here.searchParams.set(key, value); else here.searchParams.delete(key);
    }
    if (here.href != location.href) history.replaceState(null, "", here);
    if (rows.length < Number(table.dataset.sites)) update(); // the server has left some out
  };

  // address is that of the page with every row: which of them are shown is decided here.
  const address = () => {
    const a = new URL(location.href);
    if (get("q")) { a.searchParams.delete("q"); a.searchParams.delete("show"); }
    a.hash = "";
    return a;
  };

  // replace puts what is new in the place of what is there: open details stay open, what is
  // scrolled stays so, and so does the focus.
  const replace = (old, next) => {
    for (const d of old.querySelectorAll("details[open]")) {
      const same = d.id && next.querySelector("#" + CSS.escape(d.id));
      if (same) same.open = true;
    }
    for (const i of old.querySelectorAll("input[id]")) { // what somebody types stays
      const same = next.querySelector("#" + CSS.escape(i.id));
      if (same && i.type == "checkbox") same.checked = i.checked; else if (same) same.value = i.value;
    }
    const scrolled = [...old.querySelectorAll("[tabindex]")].map(e => [e.scrollLeft, e.scrollTop]);
    const focus = "a, summary, button, input, [tabindex]";
    const held = document.activeElement, inside = old.contains(held);
    const name = e => e.localName + " " + (e.id || e.getAttribute("href") || e.parentElement.id || e.getAttribute("aria-label") || e.getAttribute("aria-labelledby") || "");
    old.replaceWith(next);
    [...next.querySelectorAll("[tabindex]")].forEach((e, i) => { if (scrolled[i]) e.scrollTo(...scrolled[i]); });
    if (inside) {
      const same = [...next.querySelectorAll(focus)].find(e => name(e) == name(held));
      if (same) same.focus({ preventScroll: true });
    }
  };

  const told = text => { if (get("fetched")) get("fetched").textContent = text; };

  let busy = false;
  const update = async () => {
    if (busy || !all("[data-live]").length) return;
    busy = true;
    const now = new Date().toISOString().slice(11, 19);
    try {
      const answer = await fetch(address(), { cache: "no-store", credentials: "same-origin", redirect: "error" });
      if (!answer.ok) throw new Error("answer " + answer.status);
      const page = new DOMParser().parseFromString(await answer.text(), "text/html");
      const parts = all("[data-live]").map(old => [old, page.getElementById(old.id)]);
      if (!parts.every(([, next]) => next)) throw new Error("another page");
      for (const [old, next] of parts) replace(old, document.importNode(next, true));
      document.title = page.title;
      document.body.classList.remove("old");
      told("Fetched at " + now + ".");
      find();
    } catch (e) {
      document.body.classList.add("old");
      told("Cannot be fetched since " + now + " (" + e.message + "): what you see is older.");
    } finally {
      busy = false;
    }
  };

  // reading tells whether somebody is marking text, which must not go away below the pointer.
  const reading = () => { const s = getSelection(); return s && !s.isCollapsed; };

  document.addEventListener("input", e => { if (e.target.id == "q" || e.target.id == "show") find(); });
  document.addEventListener("submit", e => { if (get("sites") && e.target.matches("form.find")) { e.preventDefault(); find(); } });
  for (const e of all(".script")) e.hidden = false;
  if (get("refresh")) {
    const due = () => { if (!document.hidden && get("refresh").checked && !reading()) update(); };
    document.addEventListener("visibilitychange", due);
    setInterval(due, every);
  }
  find();
})();
