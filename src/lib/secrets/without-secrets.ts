const maxLength = 300
/** Shorter ones stand in other words by chance, and hiding them there would tell them. */
const shortestHidden = 4

/** Who asks, as it may come back in what is said. */
export interface Credentials {
  username?: string
  password?: string
}

interface HidingOptions {
  /** What stands for the password. */
  mask?: string
  /** The fewest characters of a password that is hidden. */
  shortest?: number
}

/** A text without a password, in each of the usual forms in which servers and libraries repeat it. */
export function hidePassword(
  text: string,
  { username = '', password = '' }: Credentials,
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

/** What a server or library said, fit for logs and messages: one line, short, its password left out. */
export function withoutSecrets(text: string, credentials: Credentials, options?: HidingOptions): string {
  return hidePassword(text, credentials, options)
    .replace(/[\p{Cc}\u2028\u2029]+/gu, ' ')
    .trim()
    .slice(0, maxLength)
}
