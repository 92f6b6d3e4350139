"use strict";
// Filters findings and cases, and draws as much of the table of cases as is looked at. What is
// chosen stands in the address after the #, so that a view can be kept and sent.
(() => {
  const PAGE = 100;
  const find = (selector) => document.querySelector(selector);
  const data = JSON.parse(find("#data").textContent);
  const { rows } = data;
  const form = find("#filters");
  const fields = ["target", "kind", "category", "status", "q"];
  const view = { answer: "", cluster: "", column: -1, descending: false, page: 0 };
  const numbered = new Intl.NumberFormat("en-US");
  const clusterAt = new Map(data.clusters.map(([id], at) => [id, at]));

  const caseName = (row) => {
    const [category, group] = data.categories[rows.category[row]] || ["?", ""];
    return [category, group, rows.index[row]].filter((part) => part !== "").join("/");
  };
  const finding = (row) => (rows.kind[row] < 0 ? "" : data.kinds[rows.kind[row]]);
  const words = (row) => (rows.words[row] < 0 ? "" : data.words[rows.words[row]]);
  const answer = (row) => data.outcomes[rows.outcome[row]];
  const expected = (row) => (data.categories[rows.category[row]] || ["", "", ""])[2];
  const time = (micros) => {
    if (micros >= 999500) return (micros / 1e6).toFixed(2).replace(/\.?0+$/, "") + " s";
    return Math.round(micros / 1e3) + " ms";
  };

  // What clusters can be found by: what their cases are, and their own words.
  const all = Array.from(rows.ordinal.keys());
  const about = data.clusters.map(() => ({ target: "", kinds: new Set(), categories: new Set() }));
  for (const row of all) {
    const cluster = about[rows.cluster[row]];
    if (!cluster) continue;
    cluster.target = data.targets[rows.target[row]];
    cluster.kinds.add(finding(row));
    cluster.categories.add(data.categories[rows.category[row]][0]);
  }
  const sections = Array.from(document.querySelectorAll("details.cluster"));
  const textOf = sections.map((section) => section.textContent.toLowerCase());

  const chosen = () => Object.fromEntries(fields.map((name) => [name, form.elements[name].value]));

  const matchesCluster = (at, filter) =>
    (!filter.target || about[at].target === filter.target) &&
    (!filter.kind || about[at].kinds.has(filter.kind)) &&
    (!filter.category || about[at].categories.has(filter.category)) &&
    (!filter.status || (filter.status === "known") === data.clusters[at][1]) &&
    (!filter.q || textOf[at].includes(filter.q.toLowerCase()));

  const matchesRow = (row, filter, only) => {
    const cluster = rows.cluster[row];
    if (only >= 0 && cluster !== only) return false;
    if (filter.target && data.targets[rows.target[row]] !== filter.target) return false;
    if (filter.kind && finding(row) !== filter.kind) return false;
    if (filter.category && data.categories[rows.category[row]][0] !== filter.category) return false;
    if (filter.status && (cluster < 0 || (filter.status === "known") !== data.clusters[cluster][1])) return false;
    if (view.answer && answer(row) !== view.answer) return false;
    if (!filter.q) return true;
    const wanted = filter.q.toLowerCase();
    const own = [caseName(row), answer(row), finding(row), words(row)].join(" ").toLowerCase();
    return own.includes(wanted) || (cluster >= 0 && textOf[cluster].includes(wanted));
  };

  const keys = [
    null,
    (row) => data.targets[rows.target[row]],
    expected,
    answer,
    (row) => rows.micros[row],
    (row) => finding(row) || "~",
  ];
  const order = (found) => {
    if (view.column < 0) return found;
    const key = keys[view.column] || ((row) => rows.ordinal[row]);
    const sign = view.descending ? -1 : 1;
    const compare = (a, b) => (a < b ? -1 : a > b ? 1 : 0);
    return found.sort((a, b) => sign * compare(key(a), key(b)) || a - b);
  };

  const cell = (row, text, name) => {
    const td = row.insertCell();
    td.textContent = text;
    if (name) td.className = name;
    return td;
  };
  const draw = (found) => {
    const last = Math.max(0, Math.ceil(found.length / PAGE) - 1);
    view.page = Math.min(view.page, last);
    const from = view.page * PAGE;
    const body = find("#rows");
    body.replaceChildren();
    for (const row of found.slice(from, from + PAGE)) {
      const tr = body.insertRow();
      const name = cell(tr, "");
      for (const part of caseName(row).split(/(?<=\/)/)) name.append(part, document.createElement("wbr"));
      cell(tr, data.targets[rows.target[row]]);
      cell(tr, expected(row));
      const said = cell(tr, answer(row));
      const dot = document.createElement("span");
      dot.className = "dot " + data.meanings[rows.meaning[row]];
      said.prepend(dot);
      cell(tr, time(rows.micros[row]), "time");
      const last = cell(tr, "");
      if (rows.cluster[row] >= 0) {
        const link = document.createElement("a");
        link.href = "#" + data.clusters[rows.cluster[row]][0];
        link.textContent = finding(row);
        last.append(link, " ");
      }
      const detail = document.createElement("span");
      detail.className = "dim";
      detail.textContent = words(row);
      last.append(detail);
    }
    const to = Math.min(from + PAGE, found.length);
    find("#range").textContent = found.length
      ? `${numbered.format(from + 1)}–${numbered.format(to)} of ${numbered.format(found.length)}`
      : "no case matches";
    find("#previous").disabled = view.page === 0;
    find("#next").disabled = view.page >= last;
  };

  const remember = (filter) => {
    const address = new URLSearchParams();
    for (const [name, value] of Object.entries(filter)) if (value) address.set(name, value);
    if (view.answer) address.set("answer", view.answer);
    if (view.cluster) address.set("cluster", view.cluster);
    const text = address.toString();
    const now = location.hash.slice(1);
    if (text === now || (!text && !now.includes("="))) return;
    history.replaceState(null, "", text ? "#" + text : location.pathname + location.search);
  };

  const show = () => {
    const filter = chosen();
    let clusters = 0;
    sections.forEach((section, at) => {
      section.hidden = !matchesCluster(at, filter);
      clusters += section.hidden ? 0 : 1;
    });
    find("#no-clusters").hidden = clusters > 0 || sections.length === 0;
    const only = clusterAt.has(view.cluster) ? clusterAt.get(view.cluster) : -1;
    const found = order(all.filter((row) => matchesRow(row, filter, only)));
    find("#shown").textContent =
      `${numbered.format(clusters)} of ${numbered.format(sections.length)} clusters, ` +
      `${numbered.format(found.length)} of ${numbered.format(all.length)} results`;
    const button = find("#only");
    button.hidden = only < 0;
    button.textContent = `only ${view.cluster} ×`;
    button.setAttribute("aria-label", "Show the cases of all clusters");
    draw(found);
    remember(filter);
  };
  const again = () => {
    view.page = 0;
    show();
  };

  // The address may name a section, a cluster, or what is chosen.
  const follow = () => {
    const hash = decodeURIComponent(location.hash.slice(1));
    if (clusterAt.has(hash)) {
      const section = document.getElementById(hash);
      section.open = true;
      section.scrollIntoView();
      return;
    }
    if (!hash.includes("=")) return;
    const address = new URLSearchParams(location.hash.slice(1));
    for (const name of fields) form.elements[name].value = address.get(name) || "";
    view.answer = address.get("answer") || "";
    find("#answer").value = view.answer;
    view.cluster = address.get("cluster") || "";
    const section = view.cluster && document.getElementById(view.cluster);
    if (section) section.open = true;
    again();
  };

  let typing = 0;
  form.addEventListener("input", (event) => {
    clearTimeout(typing);
    typing = setTimeout(again, event.target.name === "q" ? 150 : 0);
  });
  form.addEventListener("submit", (event) => event.preventDefault());
  form.addEventListener("reset", () => {
    Object.assign(view, { answer: "", cluster: "" });
    find("#answer").value = "";
    setTimeout(again, 0);
  });
  find("#answer").addEventListener("change", (event) => {
    view.answer = event.target.value;
    again();
  });
  find("#only").addEventListener("click", () => {
    view.cluster = "";
    again();
  });
  for (const [name, step] of [["#previous", -1], ["#next", 1]]) {
    find(name).addEventListener("click", () => {
      view.page += step;
      show();
    });
  }
  for (const button of document.querySelectorAll(".sort")) {
    button.addEventListener("click", () => {
      const column = Number(button.dataset.column);
      view.descending = view.column === column && !view.descending;
      view.column = column;
      for (const heading of document.querySelectorAll(".cases th")) heading.setAttribute("aria-sort", "none");
      button.parentElement.setAttribute("aria-sort", view.descending ? "descending" : "ascending");
      again();
    });
  }
  for (const button of document.querySelectorAll("button.members")) {
    button.hidden = false;
    button.addEventListener("click", () => {
      view.cluster = button.dataset.cluster;
      again();
      find("#cases").scrollIntoView();
    });
  }
  for (const button of document.querySelectorAll("button.copy")) {
    button.hidden = false;
    button.addEventListener("click", async () => {
      const code = button.parentElement.querySelector("code");
      try {
        await navigator.clipboard.writeText(code.textContent);
        button.textContent = "Copied";
      } catch {
        getSelection().selectAllChildren(code);
        button.textContent = "Selected";
      }
      setTimeout(() => { button.textContent = "Copy"; }, 1500);
    });
  }
  addEventListener("hashchange", follow);
  form.hidden = false;
  find("#cases-view").hidden = false;
  // What the address asks for comes first: to show everything would forget it.
  if (!location.hash.includes("=")) show();
  follow();
})();
