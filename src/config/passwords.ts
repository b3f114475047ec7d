/** Minimum length of a password, in characters. */
export const minPasswordLength = 8
/** Error text about a shorter password, after its name. */
export const shortPassword = `must have at least ${minPasswordLength} characters`
