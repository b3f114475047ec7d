const maxLength = 300
/** Shorter passwords occur in other words by chance; hiding them there would reveal them. */
const shortestHidden = 4

/** Credentials that may occur in a message of a server. */
export interface LocationCredentials {
  username?: string
  password?: string
}

interface HidingOptions {
  /** Replacement of the password. */
  mask?: string
  /** Minimum length of a password that is hidden. */
  shortest?: number
}

/** Removes a password from a text, in all usual forms in which servers and libraries repeat it. */
export function hidePassword(
  text: string,
  { username = '', password = '' }: LocationCredentials,
  { mask = '***', shortest = shortestHidden }: HidingOptions = {},
): string {
  if (password.length < shortest) return text
  const encoded = [password, `${username}:${password}`, `\0${username}\0${password}`].map((one) =>
    Buffer.from(one).toString('base64'),
  )
  const forms = [password, encodeURIComponent(password), ...encoded]
  forms.sort((a, b) => b.length - a.length)
  return forms.reduce((clean, form) => clean.replaceAll(form, mask), text)
}

/** Returns a message of a server or library for logs and users: one line, short, without the password. */
export function withoutSecrets(
  text: string,
  credentials: LocationCredentials,
  options?: HidingOptions,
): string {
  return hidePassword(text, credentials, options)
    .replace(/[\p{Cc}\u2028\u2029]+/gu, ' ')
    .trim()
    .slice(0, maxLength)
}
