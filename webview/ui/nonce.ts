/**
 * Passes the page's nonce under the toolkit's name: otherwise the toolkit adds a style that the content security policy
 * rejects. Import this before the toolkit.
 */
document.querySelector('meta[name="csp-nonce"]')?.setAttribute('property', 'csp-nonce');
