import { execFileSync, spawn } from 'node:child_process'
import { existsSync, mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { freePort } from './remote-servers.ts'
import { until } from './until.ts'

const slapdPath = '/usr/sbin/slapd'
const slapadd = '/usr/sbin/slapadd'
const modules = '/usr/lib/ldap'

const serviceDn = 'cn=service,dc=city,dc=example'
const servicePassword = 'service-password'

/** A running OpenLDAP server with a certificate of its own authority. */
export interface Slapd {
  port: number
  /** Settings of a server that searches this directory. */
  settings: Record<string, string>
  /** Path of the certificate of the authority. */
  ca: string
  stop(): Promise<void>
  start(): Promise<void>
  close(): Promise<void>
}

/** People, groups in groups, and names that need escapes. */
const entries = `dn: dc=city,dc=example
objectClass: dcObject
objectClass: organization
dc: city
o: City

dn: ${serviceDn}
objectClass: applicationProcess
objectClass: simpleSecurityObject
cn: service
userPassword: ${servicePassword}

dn: ou=people,dc=city,dc=example
objectClass: organizationalUnit
ou: people

dn: ou=groups,dc=city,dc=example
objectClass: organizationalUnit
ou: groups

${person('anna', 'anna-password')}
${person('o*(brien)', 'brien-password')}
dn: cn=surveyors,ou=groups,dc=city,dc=example
objectClass: groupOfNames
cn: surveyors
member: uid=anna,ou=people,dc=city,dc=example

dn: cn=editors,ou=groups,dc=city,dc=example
objectClass: groupOfNames
cn: editors
member: cn=surveyors,ou=groups,dc=city,dc=example

dn: cn=gis-staff,ou=groups,dc=city,dc=example
objectClass: groupOfNames
cn: gis-staff
member: cn=editors,ou=groups,dc=city,dc=example
member: cn=circle,ou=groups,dc=city,dc=example

dn: cn=circle,ou=groups,dc=city,dc=example
objectClass: groupOfNames
cn: circle
member: cn=gis-staff,ou=groups,dc=city,dc=example
`

function person(name: string, password: string): string {
  return `dn: uid=${name},ou=people,dc=city,dc=example
objectClass: inetOrgPerson
uid: ${name}
cn: ${name}
sn: ${name}
mail: ${name.replace(/\W/g, '')}@city.example
userPassword: ${password}
`
}

export async function startSlapd(): Promise<Slapd> {
  if (!existsSync(slapdPath)) throw new Error('slapd is not installed: scripts/setup/install-debian.sh slapd')
  const folder = mkdtempSync(join(tmpdir(), 'terrane-slapd-'))
  mkdirSync(join(folder, 'db'))
  const [key, ca] = [join(folder, 'key.pem'), join(folder, 'cert.pem')]
  execFileSync(
    'openssl',
    `req -x509 -newkey rsa:2048 -nodes -days 1 -subj /CN=localhost -addext subjectAltName=DNS:localhost -keyout ${key} -out ${ca}`.split(
      ' ',
    ),
    { stdio: 'ignore' },
  )
  const configuration = join(folder, 'slapd.conf')
  writeFileSync(configuration, configurationText(folder, { key, ca }))
  writeFileSync(join(folder, 'entries.ldif'), entries)
  execFileSync(slapadd, ['-f', configuration, '-l', join(folder, 'entries.ldif')], { stdio: 'ignore' })
  const port = await freePort()
  const running: { stop?: () => Promise<void> } = {}
  const start = async (): Promise<void> => {
    const child = spawn(slapdPath, ['-d', '0', '-f', configuration, '-h', `ldap://localhost:${port}`], {
      stdio: 'ignore',
    })
    running.stop = () =>
      new Promise((resolve) => {
        child.once('exit', () => resolve())
        child.kill('SIGTERM')
      })
    await until(() => accepts(port))
  }
  const stop = async (): Promise<void> => {
    await running.stop?.()
    running.stop = undefined as never
  }
  await start()
  return {
    port,
    ca,
    settings: {
      TERRANE_LDAP_URL: `ldap://localhost:${port}`,
      TERRANE_LDAP_STARTTLS: 'on',
      TERRANE_LDAP_CA: ca,
      TERRANE_LDAP_BIND_DN: serviceDn,
      TERRANE_LDAP_BIND_PASSWORD: servicePassword,
      TERRANE_LDAP_BASE: 'ou=people,dc=city,dc=example',
      TERRANE_LDAP_GROUP_BASE: 'ou=groups,dc=city,dc=example',
      TERRANE_LDAP_STAFF_GROUP: 'gis-staff',
    },
    start,
    stop,
    close: async () => {
      if (running.stop !== undefined) await stop()
      rmSync(folder, { recursive: true, force: true })
    },
  }
}

function configurationText(folder: string, { key, ca }: { key: string; ca: string }): string {
  return `include /etc/ldap/schema/core.schema
include /etc/ldap/schema/cosine.schema
include /etc/ldap/schema/inetorgperson.schema
modulepath ${modules}
moduleload back_mdb
pidfile ${folder}/slapd.pid
TLSCertificateFile ${ca}
TLSCertificateKeyFile ${key}
access to attrs=userPassword by anonymous auth by * none
access to * by dn.exact="${serviceDn}" read by self read by * auth
database mdb
maxsize 10485760
suffix "dc=city,dc=example"
directory ${folder}/db
`
}

async function accepts(port: number): Promise<boolean> {
  const { connect } = await import('node:net')
  return new Promise((resolve) => {
    const socket = connect({ host: 'localhost', port })
    socket.once('connect', () => {
      socket.destroy()
      resolve(true)
    })
    socket.once('error', () => resolve(false))
  })
}
