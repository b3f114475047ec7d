import assert from 'node:assert/strict'
import { execFile } from 'node:child_process'
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { describe, it } from 'node:test'
import { promisify } from 'node:util'
import { endpoints } from '../../../src/api/routes.ts'
import { createTestApp } from '../../support/app.ts'

const root = join(import.meta.dirname, '../../..')
const environment = {
  PATH: process.env.PATH,
  REDOCLY_TELEMETRY: 'off',
  REDOCLY_SUPPRESS_UPDATE_NOTICE: 'true',
}

interface Problem {
  ruleId: string
  message: string
  location: { pointer?: string }[]
}

interface Operation {
  operationId?: string
  summary?: string
  description?: string
  parameters?: { name: string; description?: string; schema?: { description?: string } }[]
  requestBody?: { content: Contents }
  responses: Record<string, { content?: Contents }>
  'x-codeSamples'?: { source: string }[]
}

type Contents = Record<string, { example?: unknown }>

interface Document {
  paths: Record<string, Record<string, Operation>>
}

/** Returns the gaps in the description of an operation. */
function gapsOf(operation: Operation): string[] {
  const { operationId, summary = '', description = '', parameters = [], requestBody, responses } = operation
  const gaps: string[] = []
  if (summary === '') gaps.push('summary')
  if (description.length < 20 || description === summary) gaps.push('description')
  if (!operation['x-codeSamples']?.[0]?.source.startsWith('curl ')) gaps.push('call')
  for (const { name, description: own, schema } of parameters)
    if ((own ?? schema?.description ?? '') === '') gaps.push(`parameter ${name}`)
  const answers = Object.entries(responses).filter(([status]) => /^2/.test(status))
  for (const contents of [requestBody?.content, ...answers.map(([, { content }]) => content)])
    for (const [type, { example }] of Object.entries(contents ?? {}))
      if (/\bjson$/.test(type) && example === undefined) gaps.push(`example of ${type}`)
  return gaps.map((gap) => `${operationId} has no ${gap}`)
}

/** Returns the linter's messages about a document, by the rules of `redocly.yaml`. */
async function lint(folder: string, text: string): Promise<string[]> {
  const file = join(folder, 'openapi.json')
  writeFileSync(file, text)
  const tool = join(root, 'node_modules/.bin/redocly')
  const args = ['lint', file, '--config', join(root, 'redocly.yaml'), '--format=json', '--max-problems=1000']
  const run = promisify(execFile)(tool, args, { cwd: folder, env: environment, maxBuffer: 2 ** 26 })
  const { stdout } = await run.catch((error: { stdout: string }) => error)
  const { problems } = JSON.parse(stdout) as { problems: Problem[] }
  return problems.map(({ ruleId, message, location: [place] }) => `${ruleId}: ${message} ${place?.pointer}`)
}

describe('the OpenAPI document', () => {
  for (const dialect of ['contract', 'geoserver'] as const)
    it(`has no fault and every endpoint, in the dialect ${dialect}`, async (test) => {
      const folder = mkdtempSync(join(tmpdir(), 'terrane-openapi-'))
      test.after(() => rmSync(folder, { recursive: true }))
      const app = await createTestApp({ env: { TERRANE_DIALECT: dialect, TERRANE_MONITORING: 'on' } })
      test.after(() => app.close())
      const { body } = await app.app.inject('/openapi.json')
      const operations = Object.values((JSON.parse(body) as Document).paths).flatMap(Object.values<Operation>)
      const expected = endpoints.filter((one) => (one.dialect ?? dialect) === dialect).map(({ id }) => id)
      assert.deepEqual(operations.map(({ operationId = 'none' }) => operationId).sort(), expected.sort())
      assert.deepEqual(operations.flatMap(gapsOf), [])
      assert.deepEqual(await lint(folder, body), [])
    })
})
