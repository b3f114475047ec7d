// `npm run docs`: makes anew what documents take from the sources. What people write in them stays.
import { readFileSync, writeFileSync } from 'node:fs'
import { dirname, join } from 'node:path'
import { findErrorCodes } from './check/error-codes.ts'
import { errorPage, writeErrorPage } from './check/error-page.ts'
import { readSources } from './check/imports.ts'

const root = dirname(import.meta.dirname)
const files = readSources(root, ['src/**/*.ts'])

function rewrite(path: string, change: (text: string) => string): void {
  const text = readFileSync(join(root, path), 'utf8')
  const changed = change(text)
  if (changed !== text) writeFileSync(join(root, path), changed)
  console.log(`${changed === text ? 'as it was' : 'written  '} ${path}`)
}

rewrite(errorPage, (page) => writeErrorPage(page, findErrorCodes(files).codes.values()))
