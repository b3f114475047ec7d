import assert from 'node:assert/strict'
import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { it } from 'node:test'
import { apiTypes } from '../../scripts/pages/api-types.ts'
import { apiTypesFile, readOpenApi } from '../../scripts/pages/read-openapi.ts'

it('types of the wire of the pages are those of the OpenAPI document', async () => {
  const written = readFileSync(join(import.meta.dirname, '..', '..', apiTypesFile), 'utf8')
  assert.ok(written === apiTypes(await readOpenApi()), `${apiTypesFile} is old: npm run docs`)
})
