import assert from 'node:assert/strict'
import { mkdirSync, symlinkSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { it } from 'node:test'
import { temporaryFolder } from '../../tests/support/temporary-files.ts'
import { outputOf } from './run-tool.ts'
import { typeOptions } from './steps.ts'

const modules = join(import.meta.dirname, '..', '..', 'node_modules')

it('reports an error of types in every run until it is corrected', async (test) => {
  const folder = temporaryFolder(test)
  mkdirSync(join(folder, 'node_modules'))
  symlinkSync(join(modules, 'typescript'), join(folder, 'node_modules', 'typescript'))
  writeFileSync(join(folder, 'tsconfig.json'), '{ "compilerOptions": { "strict": true, "types": [] } }')
  writeFileSync(join(folder, 'size.ts'), 'export const size = 5\n')
  const write = (type: string): void =>
    writeFileSync(
      join(folder, 'use.ts'),
      `import { size } from './size'\nexport const text: ${type} = size\n`,
    )
  const check = () => outputOf(folder, join(modules, '.bin', 'tsc'), typeOptions(folder, '.'))
  write('string')
  for (const run of ['first', 'second']) assert.match(await check(), /use\.ts.*TS2322/, run)
  write('number')
  for (const run of ['first', 'second']) assert.equal(await check(), '', run)
  writeFileSync(join(folder, 'size.ts'), "export const size = 'large'\n")
  assert.match(await check(), /use\.ts.*TS2322/, 'a file that did not change uses one that did')
})
