import type { RemoteCredentials } from './credentials.ts'

const maxLength = 300
/** Shorter ones stand in other words by chance, and hiding them there would tell them. */
const shortestHidden = 4

/**
 * What a server or library said, fit for messages: one line, short, and the password left out should the server have
 * repeated it.
 */
export function withoutSecrets(text: string, { username = '', password = '' }: RemoteCredentials): string {
  const forms = [
    password,
    encodeURIComponent(password),
    Buffer.from(password).toString('base64'),
    Buffer.from(`${username}:${password}`).toString('base64'),
  ]
  let clean = text
  for (const form of forms) if (password.length >= shortestHidden) clean = clean.replaceAll(form, '********')
  return clean
    .replace(/\p{Cc}+/gu, ' ')
    .trim()
    .slice(0, maxLength)
}
