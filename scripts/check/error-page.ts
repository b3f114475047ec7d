import type { ErrorCode } from './error-codes.ts'

/** Page of all error codes, and file with the list of published codes. */
export const errorPage = 'docs/errors.md'
export const publicCodes = 'tests/contract/public-error-codes.txt'

const maxMessages = 2
const row = /^\| `([a-z0-9-]+)` \| [^|]* \| .* \| ([^|]*) \|$/gm

/**
 * Returns the page with a new table. The text before the table and the hand-written advice in the table stay.
 */
export function writeErrorPage(page: string, codes: Iterable<ErrorCode>): string {
  const advice = new Map([...page.matchAll(row)].map(([, code, text]) => [code, text]))
  const rows = [...codes]
    .sort((a, b) => (a.code < b.code ? -1 : 1))
    .map(
      (one) =>
        `| \`${one.code}\` | ${statusesOf(one)} | ${messagesOf(one)} | ${advice.get(one.code) ?? ''} |`,
    )
  const head = page.slice(0, page.indexOf('| code |'))
  return [`${head}| code | status | what it says | what to do |`, '|---|---|---|---|', ...rows, ''].join('\n')
}

function statusesOf({ statuses }: ErrorCode): string {
  return [...statuses].sort((a, b) => a - b).join(', ')
}

/** Returns the two most common messages of the code; the others are similar. */
function messagesOf({ says }: ErrorCode): string {
  return [...says]
    .slice(0, maxMessages)
    .map((text) => text.replaceAll('|', '\\|').replaceAll('\n', ' ').replaceAll('<', '&lt;'))
    .join('; ')
}

/**
 * Checks that the page matches the sources and says what to do about every code. Returns one message per
 * fault.
 */
export function errorPageProblems(page: string, codes: Map<string, ErrorCode>): string[] {
  const bare = [...page.matchAll(row)].filter(([, , text]) => text?.trim() === '')
  return [
    ...(page === writeErrorPage(page, codes.values()) ? [] : [`${errorPage} is out of date: npm run docs`]),
    ...bare.map(([, code]) => `${errorPage} does not tell what to do about ${code}: write it there`),
  ]
}

/** Returns one message for each public code that was removed and each code that is new. */
export function publicCodeProblems(list: string, codes: Map<string, ErrorCode>): string[] {
  const known = new Set(list.split('\n').filter((line) => line !== ''))
  return [
    ...[...known]
      .filter((code) => !codes.has(code))
      .map(
        (code) => `${publicCodes} has ${code}, which nothing says any more: clients may know it, so it stays`,
      ),
    ...[...codes.keys()]
      .filter((code) => !known.has(code))
      .map((code) => `${publicCodes} lacks the new code ${code}: add it, and it is for good`),
  ]
}
