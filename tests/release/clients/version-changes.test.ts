import assert from 'node:assert/strict'
import { writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { it } from 'node:test'
import { runTerrane, startTerrane, temporaryData } from '../../support/terrane-process.ts'

it('terrane layers changes tells what differs between two versions', async (t) => {
  const data = temporaryData(t)
  const secret = { TERRANE_PASSWORD: 'e2e-password' }
  const server = startTerrane(t, ['serve'], {
    TERRANE_DATA: data,
    TERRANE_PORT: '0',
    TERRANE_ADMIN_PASSWORD: secret.TERRANE_PASSWORD,
    TERRANE_SAMPLE: 'off',
    TERRANE_LOG: 'warn',
  })
  const url = (await server.line(/^Terrane is ready at /)).split(' ').at(-1) ?? ''
  const run = (line: string) => runTerrane(t, [...line.split(' '), '--url', url], secret)
  const file = join(data, 'trees.csv')
  for (const [rows, more] of [
    ['1,oak,52,13\n2,ash,48,11', ''],
    ['2,elm,48,11\n3,fir,50,9', ' --mode upsert --keys id'],
  ]) {
    writeFileSync(file, `id,kind,lat,lon\n${rows}\n`)
    const loaded = await run(`import ${file} --lat lat --lon lon${more}`)
    assert.equal(loaded.code, 0, loaded.stdout + loaded.stderr)
  }
  const unnamed = await run(`import ${file} --lat lat --lon lon --mode upsert`)
  assert.equal(unnamed.code, 1, unnamed.stdout)
  assert.match(
    unnamed.stdout + unnamed.stderr,
    /name them by --keys\. --keys id can be used: "id" has a value of its own/,
  )
  const reported = await run('layers changes trees 1 --against 2')
  assert.equal(reported.code, 0, reported.stderr)
  assert.match(reported.stdout, /^Version 1 to 2: 1 added, 1 changed, 0 removed, 1 same\n/)
  assert.match(reported.stdout, /changed .*"kind":"ash".*"kind":"elm"/)
  const wrong = await run('layers changes trees first')
  assert.equal(wrong.code, 2)
  assert.match(wrong.stderr, /"first" is not the number of a version/)
  server.signal('SIGTERM')
  await server.ended
})
