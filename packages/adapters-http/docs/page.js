import { curl, javascript, python } from './snippets.js';

const { SwaggerUIBundle } = window;

const dark = window.matchMedia('(prefers-color-scheme: dark)');
const setMode = () => document.documentElement.classList.toggle('dark-mode', dark.matches);
dark.addEventListener('change', setMode);
setMode();

const setMirror = ['/public/v1/mirror/campaign/{campaign}/mirror', 'post'];

/** A plugin of the component: a button shows and hides the documented error responses. */
function foldedErrors({ React: { createElement, useState } }) {
  const folded = (Responses) => (props) => {
    const [open, setOpen] = useState(false);
    const errors = props.responses.keySeq().count((status) => status >= '4');
    const table = createElement(Responses, props);
    if (errors === 0) return table;
    const className = 'btn btn-clear errors-button';
    const button = { className, type: 'button', 'aria-expanded': open, onClick: () => setOpen(!open) };
    const text = `${open ? 'Hide' : 'Show'} the ${errors} error responses`;
    return createElement(
      'div',
      { className: open ? '' : 'errors-folded' },
      table,
      createElement('button', button, text),
    );
  };
  return { wrapComponents: { responses: folded } };
}

const snippets = {
  fn: {
    requestSnippetGenerator_curl_bash: curl,
    requestSnippetGenerator_javascript: javascript,
    requestSnippetGenerator_python: python,
  },
};

const ui = SwaggerUIBundle({
  url: 'public/v1/openapi.json',
  dom_id: '#interface',
  presets: [SwaggerUIBundle.presets.apis],
  layout: 'BaseLayout',
  // No request to another site.
  validatorUrl: null,
  docExpansion: 'list',
  defaultModelsExpandDepth: -1,
  tryItOutEnabled: true,
  supportedSubmitMethods: ['get', 'post'],
  requestSnippetsEnabled: true,
  requestSnippets: {
    generators: {
      curl_bash: { title: 'curl', syntax: 'bash' },
      javascript: { title: 'JavaScript', syntax: 'javascript' },
      python: { title: 'Python', syntax: 'json' },
    },
    languages: ['curl_bash', 'javascript', 'python'],
  },
  // A theme with enough contrast.
  syntaxHighlight: { theme: 'obsidian' },
  plugins: [foldedErrors, snippets],
  onComplete: () => {
    // Otherwise the field would show the example of the document, which is nobody's campaign.
    ui.specActions.changeParam(setMirror, 'campaign', 'path', '', false);
    ui.layoutActions.show(['operations', 'Mirror', 'setMirror'], true);
  },
});

/** Names of elements that the component leaves unnamed. */
const names = {
  '#servers': 'Server',
  'select.content-type': 'Media type',
  'select.examples-select-element': 'Example',
  'textarea.body-param__text': 'Request body',
  'button.close-modal': 'Close the dialog',
};

/** Names new elements, and makes scrollable ones focusable. */
function improve() {
  for (const [selector, name] of Object.entries(names))
    for (const element of document.querySelectorAll(`${selector}:not([aria-label])`))
      element.ariaLabel = name;
  // Its label differs from its visible text.
  for (const element of document.querySelectorAll('.modal-btn[aria-label]')) element.ariaLabel = null;
  for (const element of document.querySelectorAll('pre:not([tabindex])'))
    if (element.scrollWidth > element.clientWidth || element.scrollHeight > element.clientHeight)
      element.tabIndex = 0;
}
new MutationObserver(improve).observe(document.querySelector('#interface'), {
  childList: true,
  subtree: true,
});
improve();
