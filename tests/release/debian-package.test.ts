import assert from 'node:assert/strict'
import { copyFileSync, existsSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { it } from 'node:test'
import { buildDeb, packDeb } from '../../scripts/release/deb.mjs'
import { imagePackages, makeDebianRoot, runProgram, systemMounts } from '../support/installing/debian-root.ts'
import {
  adminPassword,
  countFeatures,
  type InstalledServer,
  startInstalled,
} from '../support/installing/installed-server.ts'
import { freePort } from '../support/remote-servers.ts'
import { type Cleanup, temporaryData } from '../support/terrane-process.ts'

/** Runs ExecStart of the unit as systemd does: as its user, with its variables and those of its environment file. */
async function startUnit(t: Cleanup, folder: string, port: number): Promise<InstalledServer> {
  const unit = readFileSync(join(folder, 'lib/systemd/system/terrane.service'), 'utf8')
  const values = (key: string): string[] =>
    [...unit.matchAll(new RegExp(`^${key}=(.*)$`, 'gm'))].map(([, value = '']) => value)
  const [user = ''] = values('User')
  const [command = ''] = values('ExecStart')
  const [directory = ''] = values('WorkingDirectory')
  const script = `cd ${directory} && set -a && . /etc/terrane/terrane.env && set +a && exec setpriv --reuid=${user} --regid=${user} --clear-groups --no-new-privs ${command}`
  const variables = Object.fromEntries(values('Environment').map((text) => text.split(/=(.*)/s).slice(0, 2)))
  return startInstalled(t, {
    program: 'unshare',
    args: [
      '--mount',
      '--propagation=private',
      'sh',
      '-c',
      `${systemMounts(folder)} && exec chroot ${folder} sh -c '${script}'`,
    ],
    cwd: '/',
    env: {
      PATH: '/usr/sbin:/usr/bin:/sbin:/bin',
      TERRANE_PORT: String(port),
      TERRANE_ADMIN_PASSWORD: adminPassword,
      ...variables,
    },
  })
}

it('the Debian package installs, serves as its user, upgrades with data and is purged', async (t) => {
  const built = temporaryData(t)
  const first = await buildDeb(built, { compression: 'gzip' })
  const root = makeDebianRoot(t, imagePackages())
  const install = (path: string): string => {
    copyFileSync(path, join(root.folder, 'terrane.deb'))
    return root.run('dpkg', '--install', '/terrane.deb')
  }
  const started = performance.now()
  install(first)
  assert.match(root.run('stat', '--format=%U %a', '/var/lib/terrane'), /^terrane 750/)
  assert.match(root.run('stat', '--format=%U:%G %a', '/etc/terrane/terrane.env'), /^root:terrane 640/)
  assert.match(root.run('terrane', 'config', 'check'), /are valid/)
  assert.ok(existsSync(join(root.folder, 'etc/systemd/system/multi-user.target.wants/terrane.service')))

  const port = await freePort()
  const before = await startUnit(t, root.folder, port)
  assert.equal(await countFeatures(before.url, 'default:countries'), 242)
  t.diagnostic(`${((performance.now() - started) / 1000).toFixed(0)} s from dpkg to the imported sample`)
  assert.equal(await before.stop('SIGTERM'), 0)

  root.run('sh', '-c', "echo '#edited' >>/etc/terrane/terrane.env")
  const stage = join(built, 'stage')
  runProgram('dpkg-deb', '--extract', first, stage)
  install(packDeb(stage, built, '0.1.1', 'gzip'))
  assert.match(readFileSync(join(root.folder, 'etc/terrane/terrane.env'), 'utf8'), /#edited/)
  const after = await startUnit(t, root.folder, port)
  assert.equal(await countFeatures(after.url, 'default:countries'), 242)
  assert.equal(await after.stop('SIGTERM'), 0)

  const output = root.run('dpkg', '--purge', 'terrane')
  assert.match(output, /data of Terrane are still in \/var\/lib\/terrane/)
  for (const path of [
    'etc/terrane',
    'var/cache/terrane',
    'usr/lib/terrane',
    'usr/bin/terrane',
    'lib/systemd/system/terrane.service',
  ])
    assert.ok(!existsSync(join(root.folder, path)), path)
  assert.ok(existsSync(join(root.folder, 'var/lib/terrane/terrane.sqlite')))
})
