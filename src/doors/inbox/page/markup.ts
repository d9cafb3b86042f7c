/** The skeleton of the inbox page. Everything that comes from a message is put in by script, as text. */
export const MARKUP = `<header class="top">
  <h1><a href="#/">Postrider</a> <span>inbox</span></h1>
  <p id="live" class="live" role="status">Connecting</p>
  <a class="aside" href="/dev/templates">Templates</a>
  <div class="acts">
    <button id="sample" type="button">Send a sample</button>
    <button id="clear" type="button">Clear</button>
  </div>
</header>
<p id="notice" class="notice" role="alert" hidden></p>
<main id="main">
  <nav aria-label="Messages">
    <div class="find"><input id="filter" type="search" placeholder="Filter" aria-label="Filter messages" autocomplete="off"><span id="count"></span></div>
    <p id="none" class="quiet" role="status" hidden>No message matches.</p>
    <ol id="list"></ol>
  </nav>
  <section id="start" class="start" aria-label="How to begin">
    <svg viewBox="0 0 120 80" aria-hidden="true"><path d="M14 14h92v54H14z"/><path d="M14 16l46 32 46-32"/><path d="M14 68l32-30M106 68L74 38"/></svg>
    <h2 id="start-title">No mail yet</h2>
    <p>Everything this process sends lands here and nowhere else.</p>
    <div class="command"><pre id="curl" tabindex="0" aria-label="Command that sends an email"></pre><button id="copy" type="button">Copy</button></div>
    <p class="or">or <button id="sample-here" type="button" class="primary">Send a sample</button></p>
  </section>
  <article id="message" aria-labelledby="subject" hidden>
    <a class="back" href="#/">‹ All messages</a>
    <h2 id="subject" tabindex="-1"></h2>
    <p id="duplicate" class="badge" role="status" hidden>Possible duplicate</p>
    <dl id="envelope"></dl>
    <ul id="attachments" aria-label="Attachments"></ul>
    <div class="tabs" role="tablist" aria-label="Views of the message">
      <button type="button" role="tab" id="tab-html" aria-controls="pane">HTML</button>
      <button type="button" role="tab" id="tab-text" aria-controls="pane">Text</button>
      <button type="button" role="tab" id="tab-headers" aria-controls="pane">Headers</button>
      <button type="button" role="tab" id="tab-source" aria-controls="pane">Source</button>
      <button type="button" role="tab" id="tab-timeline" aria-controls="pane">Timeline</button>
    </div>
    <div id="pane" role="tabpanel" tabindex="0"></div>
  </article>
</main>
<noscript><p class="notice">This page needs its script; the messages are also at /dev/inbox/messages.</p></noscript>
`;
