const maxLength = 300
/** Shorter ones stand in other words by chance. */
const shortestHidden = 4

/** What a server or library said, fit for a log: one line, short, its credentials left out in every usual form. */
export function withoutSecrets(text: string, secrets: readonly string[]): string {
  const [user = '', password = ''] = secrets
  const forms = [
    password,
    encodeURIComponent(password),
    ...[password, `${user}:${password}`, `\0${user}\0${password}`].map((one) =>
      Buffer.from(one).toString('base64'),
    ),
  ]
  forms.sort((a, b) => b.length - a.length)
  let clean = text
  if (password.length >= shortestHidden) for (const form of forms) clean = clean.replaceAll(form, '***')
  return clean
    .replace(/[\p{Cc}\u2028\u2029]+/gu, ' ')
    .trim()
    .slice(0, maxLength)
}
