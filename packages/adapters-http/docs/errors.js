/** A plugin of the component: the documented error responses are folded behind a button. */
export function foldedErrors({ React }) {
  const { createElement, useState } = React;
  const folded = (Responses) => (props) => {
    const [open, setOpen] = useState(false);
    const errors = props.responses.keySeq().count((status) => status >= '4');
    if (errors === 0) return createElement(Responses, props);
    const button = {
      className: 'btn btn-clear errors-button',
      type: 'button',
      'aria-expanded': open,
      onClick: () => setOpen(!open),
    };
    return createElement(
      'div',
      { className: open ? undefined : 'errors-folded' },
      createElement(Responses, props),
      createElement('button', button, `${open ? 'Hide' : 'Show'} the ${errors} error responses`),
    );
  };
  return { wrapComponents: { responses: folded } };
}
