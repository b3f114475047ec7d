import assert from 'node:assert/strict'
import { spawnSync } from 'node:child_process'
import { copyFileSync, statSync } from 'node:fs'
import { join } from 'node:path'
import { it } from 'node:test'
import { writeProgram } from '../../scripts/release/program-tree.mjs'
import { imagePackages, makeDebianRoot, runProgram, systemMounts } from '../support/installing/debian-root.ts'
import { adminPassword, countFeatures, startInstalled } from '../support/installing/installed-server.ts'
import { freePort } from '../support/remote-servers.ts'
import { temporaryData } from '../support/terrane-process.ts'

const repository = join(import.meta.dirname, '..', '..')
const mostBytes = 250_000_000

/** Mounts as a container has them: a read-only root, and writable folders for data and temporary files. */
function mounts(root: string, data: string): string {
  return [
    `mount --bind ${root} ${root}`,
    `mount --bind ${data} ${root}/data`,
    `mount -t tmpfs tmpfs ${root}/tmp`,
    systemMounts(root),
    `mount -o remount,bind,ro ${root}`,
  ].join(' && ')
}

it('the root of the image serves read-only as a user without rights, is healthy and stops on SIGTERM', async (t) => {
  const { folder: root, run } = makeDebianRoot(t, imagePackages())
  await writeProgram(repository, join(root, 'opt/terrane'))
  copyFileSync(join(repository, 'deploy/container/terrane'), join(root, 'usr/local/bin/terrane'))
  run(
    'sh',
    '-c',
    'rm -rf /var/lib/apt/lists/* /var/cache/apt/* /var/log/*; chmod 755 /usr/local/bin/terrane; mkdir -p /data',
  )
  assert.doesNotMatch(
    run('dpkg-query', '--show', `--showformat=\${Package}\\n`),
    /-dev$|^(?:gcc|g\+\+|make|npm)$/m,
  )

  const data = temporaryData(t)
  runProgram('chown', '10001:10001', data)
  const port = await freePort()
  const user = 'setpriv --reuid=10001 --regid=10001 --clear-groups --no-new-privs --bounding-set=-all'
  const inRoot = (command: string): string =>
    `env -i PATH=/usr/local/bin:/usr/bin:/bin HOME=/tmp NODE_COMPILE_CACHE=/tmp/terrane-compiled TERRANE_DATA=/data TERRANE_HOST=0.0.0.0 TERRANE_PORT=${port} TERRANE_ADMIN_PASSWORD=${adminPassword} ${command}`
  const server = await startInstalled(t, {
    program: 'unshare',
    args: [
      '--mount',
      '--propagation=private',
      'sh',
      '-c',
      `${mounts(root, data)} && exec chroot ${root} ${user} ${inRoot('tini -s -- terrane serve')}`,
    ],
    cwd: '/',
    env: { PATH: '/usr/sbin:/usr/bin:/sbin:/bin' },
  })
  assert.equal(await countFeatures(`http://127.0.0.1:${port}`, 'default:countries'), 242)
  const health = spawnSync('chroot', [root, 'sh', '-c', inRoot('terrane health')])
  assert.equal(health.status, 0)
  const map = await fetch(
    `http://127.0.0.1:${port}/wms?service=WMS&version=1.3.0&request=GetMap&layers=default:countries&styles=&crs=EPSG:4326&bbox=-90,-180,90,180&width=256&height=128&format=image/png`,
  )
  assert.equal(map.headers.get('content-type'), 'image/png')
  t.diagnostic(`${server.seconds.toFixed(0)} s from the start to the imported sample`)
  assert.equal(await server.stop('SIGTERM'), 0)
  const refused = spawnSync('chroot', [root, 'sh', '-c', inRoot('terrane health')])
  assert.equal(refused.status, 1)

  const archive = join(temporaryData(t), 'root.tar.gz')
  runProgram('tar', '--create', '--gzip', '--file', archive, '--directory', root, '.')
  const { size } = statSync(archive)
  t.diagnostic(`${(size / 1e6).toFixed(0)} MB compressed`)
  assert.ok(size <= mostBytes, `${size} bytes`)
})
