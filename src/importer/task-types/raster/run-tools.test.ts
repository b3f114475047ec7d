import assert from 'node:assert/strict'
import {
  chmodSync,
  copyFileSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  rmdirSync,
  writeFileSync,
} from 'node:fs'
import { tmpdir } from 'node:os'
import { delimiter, join } from 'node:path'
import type { TestContext } from 'node:test'
import { describe, it } from 'node:test'
import { setTimeout as sleep } from 'node:timers/promises'
import { temporaryFolder } from '../../../../tests/support/temporary-files.ts'
import { runProgram } from '../../../core/process/process.ts'
import { defined } from '../../../core/values/defined.ts'
import type { TransformSpec } from '../../../transforms/transform.ts'
import { runTools } from './run-tools.ts'

const fixture = 'tests/fixtures/raster/RGB.byte.tif'
const limits = { toolSeconds: 60, rasterBytes: 2 ** 30 }
const small: TransformSpec = { type: 'RasterTranslateTransform', options: ['-outsize', '100', '0'] }
const warp: TransformSpec = { type: 'RasterWarpTransform', options: ['-t_srs', 'EPSG:3857'] }
const overview: TransformSpec = { type: 'RasterOverviewTransform', options: [], levels: [2] }

interface Made {
  folder: string
  shares: number[]
  /** Path of the output of the tools. */
  result: Promise<string>
}

/** Runs a chain over a copy of the fixture. */
function run(
  test: TestContext,
  specs: TransformSpec[],
  options: {
    signal?: AbortSignal
    toolSeconds?: number
    rasterBytes?: number
    srs?: string
    folder?: string
  } = {},
): Made & { source: string } {
  const source = join(temporaryFolder(test), 'source.tif')
  copyFileSync(fixture, source)
  const folder = options.folder ?? temporaryFolder(test)
  const shares: number[] = []
  const { signal = new AbortController().signal, srs, folder: _folder, ...changed } = options
  const result = runTools({
    file: { path: source, sidecars: {} },
    format: 'GeoTIFF',
    specs,
    ...defined({ srs }),
    folder,
    limits: { ...limits, ...changed },
    signal,
    onProgress: (share) => shares.push(share),
  })
  return { folder, shares, result, source }
}

async function infoOf(path: string): Promise<string> {
  return (await runProgram('gdalinfo', [path])).stdout.toString('utf8')
}

/** Puts a shell script with the name of a program before GDAL's own in PATH, for one test. */
function replaceProgram(test: TestContext, name: string, script: string): string {
  const folder = temporaryFolder(test)
  const path = join(folder, name)
  writeFileSync(path, `#!/bin/sh\nfor output; do :; done\n${script}\n`)
  chmodSync(path, 0o755)
  const { PATH } = process.env
  process.env.PATH = `${folder}${delimiter}${PATH}`
  test.after(() => {
    process.env.PATH = PATH
  })
  return folder
}

/** Mounts a memory disk of this size; undefined if that is not possible, which the test reports. */
async function smallDisk(test: TestContext, megabytes: number): Promise<string | undefined> {
  const folder = mkdtempSync(join(tmpdir(), 'terrane-disk-'))
  try {
    await runProgram('mount', ['-t', 'tmpfs', '-o', `size=${megabytes}m`, 'tmpfs', folder])
  } catch {
    rmdirSync(folder)
    test.diagnostic('a small disk can only be made by root, where the system allows it')
    return undefined
  }
  test.after(async () => {
    await runProgram('umount', [folder])
    rmdirSync(folder)
  })
  return folder
}

/** Waits until the process whose id a program wrote is gone. */
async function waitForEnd(pidPath: string): Promise<void> {
  const pid = Number(readFileSync(pidPath, 'utf8'))
  for (;;) {
    try {
      process.kill(pid, 0)
      await sleep(20)
    } catch {
      return
    }
  }
}

describe('a run of raster tools', () => {
  it('hands each tool what the one before made, and leaves the source as it was', async (test) => {
    const { result, source, shares, folder } = run(test, [warp, small, overview])
    const path = await result
    const info = await infoOf(path)
    assert.match(info, /Size is 100, \d+/)
    assert.match(info, /ID\["EPSG",3857\]\]/)
    assert.match(info, /Overviews: 50x/)
    assert.deepEqual(readFileSync(source), readFileSync(fixture))
    assert.deepEqual(readdirSync(join(source, '..')), ['source.tif'])
    assert.ok(path.startsWith(folder))
    assert.equal(shares.at(-1), 1)
    assert.deepEqual(
      shares,
      shares.toSorted((a, b) => a - b),
    )
  })

  it('makes a GeoTIFF first where the chain begins with overviews', async (test) => {
    const { result, source } = run(test, [overview])
    const info = await infoOf(await result)
    assert.match(info, /Size is 791, 718/)
    assert.match(info, /Overviews: 396x359/)
    assert.deepEqual(readFileSync(source), readFileSync(fixture))
  })

  it('gives the first tool the CRS that the client set', async (test) => {
    const { result } = run(test, [small, overview], { srs: 'EPSG:32617' })
    assert.match(await infoOf(await result), /ID\["EPSG",32617\]\]/)
  })

  it('reads an image by its world file, in the CRS that the client set', async (test) => {
    const images = temporaryFolder(test)
    const path = join(images, 'scene.jpg')
    await runProgram('gdal_translate', ['-q', '-of', 'JPEG', '-co', 'WORLDFILE=YES', fixture, path])
    const made = await runTools({
      file: { path, sidecars: { wld: join(images, 'scene.wld') } },
      format: 'WorldImage',
      specs: [warp, overview],
      srs: 'EPSG:32618',
      folder: temporaryFolder(test),
      limits,
      signal: new AbortController().signal,
      onProgress: () => undefined,
    })
    const info = await infoOf(made)
    assert.match(info, /Size is 803, 736/)
    assert.match(info, /Overviews: 402x368/)
  })

  it('writes a COG', async (test) => {
    const { result } = run(test, [{ type: 'RasterWarpTransform', options: [...options(warp), '-of', 'COG'] }])
    assert.match(await infoOf(await result), /LAYOUT=COG/)
  })

  it('fails with what the tool said, without the folders it ran in', async (test) => {
    const wrong = { type: 'RasterTranslateTransform', options: ['-b', '7'] }
    const { result, folder, source } = run(test, [wrong])
    await assert.rejects(result, (error: Error) => {
      assert.match(error.message, /^RasterTranslateTransform: gdal_translate failed: .*7/)
      assert.ok(!error.message.includes(folder) && !error.message.includes(source))
      return true
    })
  })

  it('strips folders and control characters from what a tool says', async (test) => {
    replaceProgram(test, 'gdal_translate', `printf 'ERROR 1: %s: \\033[31mbad\\n' "$output" >&2; exit 1`)
    await assert.rejects(run(test, [small]).result, {
      message: 'RasterTranslateTransform: gdal_translate failed: raster.tif: ?[31mbad',
    })
  })
})

function options(spec: TransformSpec): string[] {
  return Array.isArray(spec.options) ? spec.options.map(String) : []
}

describe('a raster tool that misbehaves', () => {
  it('is ended with what it started when it hangs', async (test) => {
    const pidPath = join(temporaryFolder(test), 'pid')
    replaceProgram(test, 'gdal_translate', `sleep 1000 & echo $! > ${pidPath}; wait`)
    await assert.rejects(run(test, [small], { toolSeconds: 1 }).result, {
      code: 'tool-timed-out',
      message: /took longer than the 1 s that TERRANE_MAX_TOOL_SECONDS allows/,
    })
    await waitForEnd(pidPath)
  })

  it('is ended soon after a cancel, also where it does not want to', async (test) => {
    const pidPath = join(temporaryFolder(test), 'pid')
    replaceProgram(
      test,
      'gdal_translate',
      `trap '' TERM; echo $$ > ${pidPath}; echo 0...; sleep 1000; sleep 1000`,
    )
    const cancel = new AbortController()
    const { result, shares } = run(test, [small], { signal: cancel.signal })
    while (shares.length === 0) await sleep(20)
    cancel.abort(new Error('canceled'))
    await assert.rejects(result, { message: 'canceled' })
    await waitForEnd(pidPath)
  })

  it('is ended when it says gigabytes', async (test) => {
    replaceProgram(test, 'gdal_translate', 'yes 0...10...20')
    await assert.rejects(run(test, [small]).result, { message: /wrote too many messages/ })
  })

  it('may complain without end, of which only the end is kept, until its time is over', async (test) => {
    replaceProgram(test, 'gdal_translate', 'yes "ERROR 1: no" >&2')
    await assert.rejects(run(test, [small], { toolSeconds: 1 }).result, { code: 'tool-timed-out' })
  })

  it('is ended when its file outgrows the limit', async (test) => {
    replaceProgram(test, 'gdal_translate', 'exec dd if=/dev/zero of="$output" bs=1M count=100')
    await assert.rejects(run(test, [small], { rasterBytes: 5 << 20 }).result, {
      code: 'raster-too-large',
      message: /more than 5 MB, which TERRANE_MAX_RASTER allows/,
    })
  })

  it('is ended when its files together outgrow the limit', async (test) => {
    const script = 'for n in 1 2 3 4 5 6 7 8; do head -c 1000000 /dev/zero > "$output.$n"; done; sleep 1000'
    replaceProgram(test, 'gdal_translate', script)
    await assert.rejects(run(test, [small], { rasterBytes: 5 << 20 }).result, { code: 'raster-too-large' })
  })

  it('fails when it is killed', async (test) => {
    replaceProgram(test, 'gdal_translate', 'kill -9 $$')
    await assert.rejects(run(test, [small]).result, { message: /gdal_translate was killed by the system/ })
  })

  it('fails when it could not write all, also where it ends as if it had', async (test) => {
    replaceProgram(test, 'gdal_translate', 'echo "ERROR 3: Cannot write: No space left on device" >&2')
    await assert.rejects(run(test, [small]).result, { message: /No space left on device/ })
  })

  for (const [megabytes, when] of [
    [10, 'at the start'],
    [257, 'on the way'],
  ] as const) {
    it(`fails when the disk is full ${when}`, async (test) => {
      const folder = await smallDisk(test, megabytes)
      if (folder === undefined) return
      replaceProgram(test, 'gdal_translate', 'exec dd if=/dev/zero of="$output" bs=1M count=200')
      await assert.rejects(run(test, [small], { folder }).result, {
        code: 'disk-full',
        message: /make room and try again/,
      })
    })
  }

  it('fails when it makes nothing', async (test) => {
    replaceProgram(test, 'gdal_translate', 'exit 0')
    await assert.rejects(run(test, [small, overview]).result, { message: /gdaladdo failed/ })
  })
})
