import { foldedErrors } from './errors.js';
import { labelled } from './labels.js';
import { curl, javascript, python } from './snippets.js';

const { SwaggerUIBundle } = window;

const dark = window.matchMedia('(prefers-color-scheme: dark)');
const follow = () => document.documentElement.classList.toggle('dark-mode', dark.matches);
dark.addEventListener('change', follow);
follow();

const setMirror = ['/public/v1/mirror/campaign/{campaign}/mirror', 'post'];

const ui = SwaggerUIBundle({
  url: 'public/v1/openapi.json',
  dom_id: '#interface',
  presets: [SwaggerUIBundle.presets.apis],
  layout: 'BaseLayout',
  // Nobody else is asked whether the document is well-formed.
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
  // Of those that there are, one with enough contrast.
  syntaxHighlight: { theme: 'obsidian' },
  plugins: [
    foldedErrors,
    {
      fn: {
        requestSnippetGenerator_curl_bash: curl,
        requestSnippetGenerator_javascript: javascript,
        requestSnippetGenerator_python: python,
      },
    },
  ],
  onComplete: () => {
    // Before the field is there: the example of the document, which is nobody's campaign, takes it otherwise.
    ui.specActions.changeParam(setMirror, 'campaign', 'path', '', false);
    ui.layoutActions.show(['operations', 'Mirror', 'setMirror'], true);
  },
});

labelled(document.querySelector('#interface'));
