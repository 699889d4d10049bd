/**
 * The toolkit asks for the page's nonce under another name than the page gives it, and, where it finds none, adds a
 * style element that the content security policy refuses. To be imported before the toolkit.
 */
document.querySelector('meta[name="csp-nonce"]')?.setAttribute('property', 'csp-nonce');
