import assert from 'node:assert/strict'
import {
  chmodSync,
  copyFileSync,
  existsSync,
  mkdirSync,
  readdirSync,
  readFileSync,
  writeFileSync,
} from 'node:fs'
import { delimiter, join } from 'node:path'
import { it } from 'node:test'
import { runProgram } from '../../../src/core/process/process.ts'
import { startServer } from '../../support/server.ts'
import { temporaryFolder } from '../../support/temporary-files.ts'
import { temporaryData } from '../../support/terrane-process.ts'
import { until } from '../../support/until.ts'

const chain = [
  { type: 'RasterWarpTransform', options: ['-t_srs', 'EPSG:3857'] },
  { type: 'RasterOverviewTransform', options: [], levels: [2] },
]

function isRunning(pid: number): boolean {
  try {
    process.kill(pid, 0)
    return true
  } catch {
    return false
  }
}

it('a server killed while a raster tool works takes the tool with it, and its next start does the task anew', async (test) => {
  const dataDir = temporaryData(test)
  mkdirSync(join(dataDir, 'incoming'), { recursive: true })
  copyFileSync('tests/fixtures/raster/RGB.byte.tif', join(dataDir, 'incoming', 'rgb.tif'))
  const programs = temporaryFolder(test)
  const pidPath = join(programs, 'pid')
  const script = `#!/bin/sh\nfor output; do :; done\necho half > "$output"\necho $$ > ${pidPath}\nexec sleep 1000\n`
  writeFileSync(join(programs, 'gdalwarp'), script)
  chmodSync(join(programs, 'gdalwarp'), 0o755)

  const first = await startServer(test, dataDir, { PATH: `${programs}${delimiter}${process.env.PATH}` })
  await first.call('POST', '/rest/imports?exec=true&async=true', {
    import: { data: { type: 'file', file: 'rgb.tif' }, transforms: chain },
  })
  await until(() => existsSync(pidPath) && readFileSync(pidPath, 'utf8') !== '')
  const pid = Number(readFileSync(pidPath, 'utf8'))
  await first.kill()
  await until(() => !isRunning(pid))

  const second = await startServer(test, dataDir)
  const done = await second.importIn(0, ['COMPLETE', 'COMPLETE_ERROR'])
  assert.equal(done.state, 'COMPLETE', JSON.stringify(done))
  const stores = join(dataDir, 'stores', 'default')
  const [folder = '', ...others] = readdirSync(stores)
  assert.deepEqual(others, [])
  assert.deepEqual(readdirSync(join(stores, folder)), ['rgb.tif'])
  const { stdout } = await runProgram('gdalinfo', [join(stores, folder, 'rgb.tif')])
  assert.match(stdout.toString('utf8'), /ID\["EPSG",3857\]\][\s\S]*Overviews: /)
  await second.stop()
})
