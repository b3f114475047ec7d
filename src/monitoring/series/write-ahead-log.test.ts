import assert from 'node:assert/strict'
import { mkdtempSync, rmSync, statSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { it } from 'node:test'
import { SqliteSeriesDatabase } from './sqlite-series-database.ts'

const mebibyte = 2 ** 20

it('the write-ahead log of the series is emptied once the read that made it grow has ended', async (test) => {
  const folder = mkdtempSync(join(tmpdir(), 'terrane-wal-'))
  test.after(() => rmSync(folder, { recursive: true, force: true }))
  const path = join(folder, 'monitoring.sqlite')
  const writer = new SqliteSeriesDatabase(path)
  const reader = new SqliteSeriesDatabase(path, { isReader: true })
  test.after(async () => {
    await reader.close()
    await writer.close()
  })
  const logBytes = (): number => statSync(`${path}-wal`).size
  const write = async (mebibytes: number): Promise<void> => {
    for (let written = 0; written < mebibytes; written += 4)
      await writer.transaction((inside) =>
        inside.run(`update monitoring_requests set data = randomblob(${4 * mebibyte})`),
      )
  }
  await writer.run(
    'insert into monitoring_requests (batch, service_id, minute, requests, data) values (1, 1, 0, 1, zeroblob(1))',
  )

  await reader.snapshot(async (inside) => {
    await inside.arrays('select count(*) from monitoring_state')
    await write(100)
    assert.ok(logBytes() > 64 * mebibyte, 'a read keeps the log')
  })
  await write(140)
  assert.ok(logBytes() < 100 * mebibyte, `${logBytes()} bytes`)
})
