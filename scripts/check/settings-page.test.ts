import assert from 'node:assert/strict'
import { it } from 'node:test'
import type { SettingDescription } from '../../src/core/config/parse.ts'
import { settingsPageProblems, writeSettingsPage } from './settings-page.ts'

const page = [
  '| `TERRANE_ONE` | text | `1` | | days to keep it |',
  '| `TERRANE_TOKEN` | text | empty | | command line only |',
].join('\n')
const one: SettingDescription = { type: 'integer', default: '2', range: 'days, 1 to 9' }

it('writeSettingsPage takes type, default and range from the sources and keeps the meaning', () => {
  assert.equal(
    writeSettingsPage(page, new Map([['TERRANE_ONE', one]])),
    [
      '| `TERRANE_ONE` | integer | `2` | days, 1 to 9 | days to keep it |',
      '| `TERRANE_TOKEN` | text | empty | | command line only |',
    ].join('\n'),
  )
})

it('settingsPageProblems reports a stale page, missing settings and missing meanings', () => {
  const settings = new Map([
    ['TERRANE_ONE', one],
    ['TERRANE_TWO', one],
  ])
  const bare = writeSettingsPage(page, settings).replace('days to keep it ', '')
  assert.deepEqual(settingsPageProblems(page, settings), [
    'docs/settings.md is out of date: npm run docs',
    'docs/settings.md has no row for TERRANE_TWO: add it to a group, then npm run docs',
  ])
  assert.deepEqual(settingsPageProblems(bare, new Map([['TERRANE_ONE', one]])), [
    'docs/settings.md does not say what TERRANE_ONE means',
  ])
})
