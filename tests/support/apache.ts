import { chmodSync, existsSync, mkdirSync, readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { freePort, openFolder, startProgram } from './remote-servers.ts'
import type { Cleanup } from './terrane-process.ts'

const program = '/usr/sbin/apache2'
/** Some distributions have them built in. */
const modules = ['authz_core', 'log_config', 'logio', 'mime', 'mpm_event', 'unixd']

/** An Apache that serves files, with `LogFormat` lines for the log `terrane`. */
export async function startApache(
  test: Cleanup,
  { files, logFormat }: { files: Record<string, string>; logFormat: string },
): Promise<{ url: string; log: string; readLog(): string }> {
  if (!existsSync(program)) throw new Error('Install the Debian package apache2-bin')
  const folder = openFolder(test)
  const root = join(folder, 'files')
  mkdirSync(root)
  for (const [name, text] of Object.entries(files)) writeFileSync(join(root, name), text)
  const port = await freePort()
  const [log, conf] = [join(folder, 'access.log'), join(folder, 'apache.conf')]
  const loaded = modules
    .map((name) => [name, `/usr/lib/apache2/modules/mod_${name}.so`] as const)
    .filter(([, path]) => existsSync(path))
    .map(([name, path]) => `LoadModule ${name}_module ${path}`)
  const isRoot = process.getuid?.() === 0
  // As root, Apache runs its child processes as the user nobody.
  if (isRoot) chmodSync(folder, 0o755)
  writeFileSync(
    conf,
    `ServerRoot ${folder}
ServerName 127.0.0.1
Listen 127.0.0.1:${port}
PidFile ${folder}/apache.pid
DefaultRuntimeDir ${folder}
Mutex file:${folder}
ErrorLog ${folder}/error.log
${loaded.join('\n')}
${isRoot ? 'User nobody\nGroup nogroup' : ''}
TypesConfig /dev/null
AddType "application/vnd.ogc.se_xml; charset=utf-8" .se
AddType image/png .png
DocumentRoot ${root}
<Directory ${root}>
  Require all granted
</Directory>
${logFormat}
CustomLog ${log} terrane
`,
  )
  await startProgram(test, program, ['-d', folder, '-f', conf, '-D', 'FOREGROUND'], port)
  return {
    url: `http://127.0.0.1:${port}`,
    log,
    readLog: () => (existsSync(log) ? readFileSync(log, 'utf8') : ''),
  }
}
