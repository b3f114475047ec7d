import type { SettingDescription } from '../../src/core/config/parse.ts'

/** The page that lists all settings. */
export const settingsPage = 'docs/settings.md'

const row =
  /^\| `((?:TERRANE|OTEL)_[A-Z0-9_]+)` \|(?:[^|\\]|\\.)*\|(?:[^|\\]|\\.)*\|(?:[^|\\]|\\.)*\|(.*)\|$/gm

/** Returns the page with type, default and range of each setting from the sources. Groups and meanings stay as they are written. */
export function writeSettingsPage(page: string, settings: ReadonlyMap<string, SettingDescription>): string {
  return page.replace(row, (line, name: string, meaning: string) => {
    const description = settings.get(name)
    if (description === undefined) return line
    const { type, default: absent, range } = description
    return `| \`${name}\` | ${type} | ${defaultText(absent)} | ${range === undefined ? '' : `${range} `}|${meaning}|`
  })
}

function defaultText(text: string | undefined): string {
  if (text === undefined) return 'empty'
  return /[` ]/.test(text) && !/^\d/.test(text) ? text : `\`${text}\``
}

/** Reports a stale page, settings without a row and rows without a meaning; one message each. */
export function settingsPageProblems(
  page: string,
  settings: ReadonlyMap<string, SettingDescription>,
): string[] {
  const rows = new Map([...page.matchAll(row)].map(([, name = '', meaning = '']) => [name, meaning]))
  return [
    ...(page === writeSettingsPage(page, settings) ? [] : [`${settingsPage} is out of date: npm run docs`]),
    ...[...settings.keys()]
      .filter((name) => !rows.has(name))
      .map((name) => `${settingsPage} has no row for ${name}: add it to a group, then npm run docs`),
    ...[...rows]
      .filter(([, meaning]) => meaning.trim() === '')
      .map(([name]) => `${settingsPage} does not say what ${name} means`),
  ]
}
