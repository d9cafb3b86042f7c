/** The skeleton of the page of templates. Everything that comes from data or templates is put in by script, as text. */
export const MARKUP = `<header class="top">
  <h1><a href="/">Postrider</a> <span>templates</span></h1>
  <p id="live" class="live" role="status">Connecting</p>
  <a class="aside" href="/">Inbox</a>
  <button id="send" type="button" class="primary">Send to the inbox</button>
</header>
<p id="notice" class="notice" role="status" hidden></p>
<main>
  <nav aria-label="Types">
    <input id="filter" type="search" placeholder="Filter" aria-label="Filter types" autocomplete="off">
    <div id="list"></div>
  </nav>
  <section class="view" aria-label="Preview">
    <div class="bar">
      <select id="lang" aria-label="Language"></select>
      <select id="company" aria-label="Company" hidden></select>
      <div class="choice" role="group" aria-label="Screen">
        <button type="button" data-screen="desktop">Desktop</button>
        <button type="button" data-screen="phone">Phone</button>
        <button type="button" data-screen="dark">Dark</button>
      </div>
      <div class="choice" role="group" aria-label="Part">
        <button type="button" data-part="html">HTML</button>
        <button type="button" data-part="text">Text</button>
        <button type="button" data-part="source">Source</button>
      </div>
      <span id="facts" class="soft"></span>
    </div>
    <h2 id="subject"></h2>
    <div id="pane"></div>
  </section>
  <aside aria-label="Data">
    <div class="bar"><label for="data">Data</label><select id="sample" aria-label="Sample"></select><button id="reset" type="button">Reset</button></div>
    <textarea id="data" spellcheck="false" autocomplete="off" autocapitalize="off"></textarea>
    <p id="error" class="error" role="alert" hidden></p>
    <ul id="warnings" class="error" hidden></ul>
    <div id="files"></div>
  </aside>
</main>
<noscript><p class="notice">This page needs its script; the same is at \`postrider templates preview\`.</p></noscript>
`;
