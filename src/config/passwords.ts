/** Characters that a password has at least. */
export const minPasswordLength = 8
/** What is said of a shorter one, behind its name. */
export const shortPassword = `must have at least ${minPasswordLength} characters`
