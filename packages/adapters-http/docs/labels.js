/** Names for what the component leaves without one, by its selector. */
const names = {
  '#servers': 'Server',
  'select.content-type': 'Media type',
  'select.examples-select-element': 'Example',
  'textarea.body-param__text': 'Request body',
  'button.close-modal': 'Close the dialog',
};

/** Names what appears in `root`, and lets the keyboard reach what can be scrolled. */
export function labelled(root) {
  const look = () => {
    for (const [selector, name] of Object.entries(names)) {
      for (const element of root.querySelectorAll(`${selector}:not([aria-label])`)) {
        element.setAttribute('aria-label', name);
      }
    }
    // The component gives it another name than the one that is seen.
    for (const element of root.querySelectorAll('.modal-btn[aria-label]'))
      element.removeAttribute('aria-label');
    for (const element of root.querySelectorAll('pre:not([tabindex])')) {
      if (element.scrollWidth > element.clientWidth || element.scrollHeight > element.clientHeight) {
        element.setAttribute('tabindex', '0');
      }
    }
  };
  new MutationObserver(look).observe(root, { childList: true, subtree: true });
  look();
}
