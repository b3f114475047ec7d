import assert from 'node:assert/strict'
import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { it } from 'node:test'
import { readOpenApi, wireFile } from '../../scripts/pages/read-openapi.ts'
import { wireTypes } from '../../scripts/pages/wire-types.ts'

it('types of the wire of the pages are those of the OpenAPI document', async () => {
  const written = readFileSync(join(import.meta.dirname, '..', '..', wireFile), 'utf8')
  assert.ok(written === wireTypes(await readOpenApi()), `${wireFile} is old: npm run docs`)
})
