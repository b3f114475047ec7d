import assert from 'node:assert/strict'
import { spawnSync } from 'node:child_process'
import { copyFileSync, cpSync, mkdirSync } from 'node:fs'
import { join } from 'node:path'
import { it } from 'node:test'
import { temporaryData } from '../../support/terrane-process.ts'

const sources = join(import.meta.dirname, '..', '..', '..', 'deploy', 'debian')
/** From 0 (safe) to 100. A service without any restriction has 96. */
const mostExposure = 25

function analyze(...args: string[]) {
  return spawnSync('systemd-analyze', args, { encoding: 'utf8' })
}

// The whole package in a Debian system: tests/release/debian-package.test.ts.
for (const unit of ['terrane.service', 'terrane-work@.service']) {
  it(`systemd accepts ${unit} and rates its exposure as low`, (t) => {
    const root = temporaryData(t)
    const units = join(root, 'lib/systemd/system')
    // Targets that every unit depends on.
    cpSync('/lib/systemd/system', units, {
      recursive: true,
      filter: (path) => !/\.\w+$/.test(path) || path.endsWith('.target'),
    })
    mkdirSync(join(root, 'usr/bin'), { recursive: true })
    copyFileSync(join(sources, unit), join(units, unit))
    copyFileSync(join(sources, 'terrane.sh'), join(root, 'usr/bin/terrane'))
    const name = unit.replace('@', '@1')
    const { stderr } = analyze('verify', '--man=no', `--root=${root}`, name)
    const ours = stderr.split('\n').filter((line) => line.includes('terrane'))
    assert.deepEqual(ours, [])
    const { status, stdout } = analyze(
      'security',
      '--offline=true',
      `--threshold=${mostExposure}`,
      join(units, unit),
    )
    assert.equal(status, 0, stdout.slice(-400))
  })
}
