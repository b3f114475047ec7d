// `npm run docs`: updates the parts of documents that are generated from the sources. Hand-written text stays.
import { existsSync, readFileSync, writeFileSync } from 'node:fs'
import { dirname, join } from 'node:path'
import { readSettings } from '../src/core/config/settings.ts'
import { drawing, drawModules } from './check/draw-modules.ts'
import { findErrorCodes } from './check/error-codes.ts'
import { errorPage, writeErrorPage } from './check/error-page.ts'
import { eventsPage, writeEventsTable } from './check/events-table.ts'
import { readSources } from './check/imports.ts'
import { moduleRules } from './check/layers.ts'
import { planOf } from './check/module-plan.ts'
import { settingsPage, writeSettingsPage } from './check/settings-page.ts'
import { apiTypes } from './pages/api-types.ts'
import { apiTypesFile, readOpenApi } from './pages/read-openapi.ts'

const root = dirname(import.meta.dirname)
const files = readSources(root, ['src/**/*.ts'])

function rewrite(path: string, change: (text: string) => string): void {
  const file = join(root, path)
  const text = existsSync(file) ? readFileSync(file, 'utf8') : ''
  const changed = change(text)
  if (changed !== text) writeFileSync(file, changed)
  console.log(`${changed === text ? 'unchanged' : 'written  '} ${path}`)
}

rewrite(errorPage, (page) => writeErrorPage(page, findErrorCodes(files).codes.values()))
rewrite(settingsPage, (page) => writeSettingsPage(page, readSettings({}).descriptions))
rewrite(drawing, () => drawModules(planOf(files, moduleRules)))
rewrite(eventsPage, (page) => writeEventsTable(page, files))
const openApi = await readOpenApi()
rewrite(apiTypesFile, () => apiTypes(openApi))
