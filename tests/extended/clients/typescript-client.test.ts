import assert from 'node:assert/strict'
import { execFile } from 'node:child_process'
import { cpSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { describe, it } from 'node:test'
import { promisify } from 'node:util'
import { createTestApp } from '../../support/app.ts'
import { temporaryData } from '../../support/terrane-process.ts'
import { patienceMs } from '../../support/until.ts'

const tools = join(import.meta.dirname, '../../fixtures/typescript-client')

/** Marks the next line of the program as one that must not compile. */
const refused = ['// @ts', 'expect-error'].join('-')

/** Program that uses the types of parameters, bodies and responses. */
const program = `import type { operations, paths } from './client.d.ts'

type Answer<Id extends keyof operations> = operations[Id] extends {
  responses: { 200: { content: { 'application/json': infer Body } } }
} ? Body : never

type Body<Path extends keyof paths, Method extends keyof paths[Path]> = paths[Path][Method] extends {
  requestBody?: { content: { 'application/json': infer Sent } }
} ? Sent : never

const users: Answer<'listUsers'> = {
  users: [{ name: 'editor', role: 'staff', enabled: true, href: 'https://maps.example.org' }],
}
const change: Body<'/rest/security/self/password', 'put'> = { currentPassword: 'old', newPassword: 'new-and-long' }
const task: operations['showTask']['parameters']['path'] = { importId: '3', taskId: '0' }
const layers: Answer<'findLayers'>['layers'] = []
${refused} A role is one of three.
const wrong: Answer<'listUsers'>['users'][number]['role'] = 'boss'
console.log(users, change, task, layers, wrong)
`

const options = [
  '--noEmit',
  '--strict',
  '--exactOptionalPropertyTypes',
  '--allowImportingTsExtensions',
  '--target',
  'esnext',
  '--module',
  'nodenext',
  '--skipLibCheck',
  'false',
]

describe('a TypeScript client that is generated from the OpenAPI document', () => {
  for (const dialect of ['contract', 'geoserver'] as const)
    it(`compiles in the dialect ${dialect}`, { timeout: patienceMs }, async (t) => {
      const folder = temporaryData(t)
      cpSync(tools, folder, { recursive: true })
      const run = (command: string, args: string[]) =>
        promisify(execFile)(command, args, { cwd: folder, maxBuffer: 2 ** 26 })
      await run('npm', ['ci', '--no-audit', '--no-fund', '--ignore-scripts'])
      const server = await createTestApp({ env: { TERRANE_DIALECT: dialect, TERRANE_MONITORING: 'on' } })
      t.after(() => server.close())
      const { body } = await server.app.inject('/openapi.json')
      writeFileSync(join(folder, 'openapi.json'), body)
      const bin = join(folder, 'node_modules', '.bin')
      await run(join(bin, 'openapi-typescript'), ['openapi.json', '--output', 'client.d.ts'])
      writeFileSync(join(folder, 'use.ts'), program)
      const { stdout } = await run(join(bin, 'tsc'), [...options, 'client.d.ts', 'use.ts']).catch(
        (error: { stdout: string }) => error,
      )
      assert.equal(stdout, '')
    })
})
