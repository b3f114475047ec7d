import { readFile } from 'node:fs/promises'
import { readLayerRules, readRestRules } from '../../access/geoserver-rules.ts'
import type {
  KnownObjects,
  NotTaken,
  ReadRules,
  RulePermission,
  RuleSubject,
} from '../../access/imported-rules.ts'
import { readGeoNodeRules } from '../geonode-rules.ts'
import { readChoice, UsageError } from '../options.ts'
import type { RestRequests } from '../rest-client.ts'
import { listOf, readField, readString } from '../rest-client.ts'
import { listText } from '../text-table.ts'
import type { Action, ManageContext } from './run-kind.ts'
import { workspaceNames } from './workspaces.ts'

const security = '/rest/security'
const maxAtOnce = 1000

/** A permission of the file with the result of importing it. */
interface ImportedPermission extends RulePermission {
  state: 'new' | 'exists'
}

interface ImportReport {
  isDryRun: boolean
  permissions: ImportedPermission[]
  /** Groups that were created for roles without a group. */
  groups: string[]
  notTaken: NotTaken[]
  bad: NotTaken[]
}

/** `terrane permissions import geoserver|geonode FILE [REST_FILE]` */
export const importPermissions: Action = {
  words: ['KIND', 'FILE', 'REST_FILE'],
  hasOptionalWord: true,
  options: ['dry-run', 'workspace', 'resource'],
  run: async (context, [kindText = '', file = '', restFile]) => {
    const kind = readChoice('The kind of rules', kindText, ['geoserver', 'geonode'] as const)
    const read = await readRules(context, kind, file, restFile)
    const report = await apply(context, read)
    return { json: toAnswer(report), text: toText(report), isFailed: report.bad.length > 0 }
  },
}

async function readRules(
  { client, values }: ManageContext,
  kind: 'geoserver' | 'geonode',
  file: string,
  restFile: string | undefined,
): Promise<ReadRules> {
  const { workspace, resource } = values
  if (kind === 'geoserver' && (workspace !== undefined || resource !== undefined))
    throw new UsageError('--workspace and --resource are for rules of GeoNode')
  if (kind === 'geonode' && restFile !== undefined) throw new UsageError('Rules of GeoNode are one file')
  const [text, restText] = [await readText(file), restFile && (await readText(restFile))]
  const known = await readKnown(client)
  if (kind === 'geonode') return readGeoNodeRules(text, known, { workspace, resource })
  const layers = named(readLayerRules(text, known), restText === undefined ? undefined : file)
  if (restText === undefined || restFile === undefined) return layers
  const rest = named(readRestRules(restText, known), restFile)
  return {
    taken: [...layers.taken, ...rest.taken],
    notTaken: [...layers.notTaken, ...rest.notTaken],
    bad: [...layers.bad, ...rest.bad],
  }
}

/** Adds the file name to each rule, if there are two files. */
function named({ taken, notTaken, bad }: ReadRules, file: string | undefined): ReadRules {
  if (file === undefined) return { taken, notTaken, bad }
  const name = <T extends { rule: string }>(one: T): T => ({ ...one, rule: `${file}: ${one.rule}` })
  return { taken: taken.map(name), notTaken: notTaken.map(name), bad: bad.map(name) }
}

async function readText(file: string): Promise<string> {
  return readFile(file, 'utf8').catch((error: unknown) => {
    throw new UsageError(`${file} cannot be read: ${error instanceof Error ? error.message : String(error)}`)
  })
}

async function readKnown(client: RestRequests): Promise<KnownObjects> {
  const layers = listOf(readField(await client.get('/rest/layers'), 'layers'), 'layer')
  return { workspaces: await workspaceNames(client), layers: layers.map((one) => readString(one, 'name')) }
}

const wordsOf = ({
  subject,
  resource,
  actions,
}: Pick<RulePermission, 'subject' | 'resource' | 'actions'>): string =>
  JSON.stringify([Object.entries(subject), resource, [...actions].sort()])

/** Changes nothing if a line is bad, and in a dry run. */
async function apply({ client, values }: ManageContext, read: ReadRules): Promise<ImportReport> {
  const isDryRun = values['dry-run'] === true
  const { bad } = read
  const notTaken = [...read.notTaken]
  const users = new Set(
    listOf(await client.get(`${security}/users`), 'users').map((one) => readString(one, 'name')),
  )
  const rules = read.taken.filter(({ line, rule, subject }) => {
    if (!('user' in subject) || users.has(subject.user)) return true
    notTaken.push({ line, rule, reason: `user "${subject.user}" does not exist here` })
    return false
  })
  const permissions = await statesOf(client, rules)
  const groups = await missingGroups(client, permissions)
  if (!isDryRun && bad.length === 0) await save(client, permissions, groups)
  return { isDryRun, permissions, groups, notTaken, bad }
}

/** Returns the rules as distinct permissions. */
async function statesOf(
  client: RestRequests,
  rules: readonly RulePermission[],
): Promise<ImportedPermission[]> {
  const present = listOf(await client.get(`${security}/permissions`), 'permissions').map((one) =>
    wordsOf({
      subject: readField(one, 'subject') as RuleSubject,
      resource: readString(one, 'resource'),
      actions: listOf(one, 'actions').map(String),
    }),
  )
  const known = new Set(present)
  const distinct = new Map(rules.map((rule) => [wordsOf(rule), rule]))
  return [...distinct].map(([words, rule]) => ({ ...rule, state: known.has(words) ? 'exists' : 'new' }))
}

async function missingGroups(
  client: RestRequests,
  permissions: readonly ImportedPermission[],
): Promise<string[]> {
  const present = listOf(await client.get(`${security}/groups`), 'groups').map((one) =>
    readString(one, 'name'),
  )
  const needed = permissions.flatMap(({ subject }) => ('group' in subject ? [subject.group] : []))
  return [...new Set(needed)].filter((name) => !present.includes(name))
}

async function save(
  client: RestRequests,
  permissions: readonly ImportedPermission[],
  groups: readonly string[],
): Promise<void> {
  for (const name of groups) await client.post(`${security}/groups`, { group: { name } })
  const added = permissions
    .filter(({ state }) => state === 'new')
    .map(({ subject, resource, actions }) => ({ subject, resource, actions }))
  for (let from = 0; from < added.length; from += maxAtOnce)
    await client.post(`${security}/permissions`, { permissions: added.slice(from, from + maxAtOnce) })
}

function toAnswer({ isDryRun, permissions, groups, notTaken, bad }: ImportReport): object {
  return { import: { dryRun: isDryRun, permissions, groups, notTaken, bad } }
}

function toText({ isDryRun, permissions, groups, notTaken, bad }: ImportReport): string {
  const parts: string[] = []
  const isSaved = !isDryRun && bad.length === 0
  const added = permissions.filter(({ state }) => state === 'new').length
  if (permissions.length > 0) {
    const rows = permissions.map(({ line, subject, resource, actions, state }) => ({
      line,
      subject: Object.entries(subject)
        .map(([kind, name]) => (name === true ? kind : `${kind}:${name}`))
        .join(),
      resource,
      actions: actions.join(','),
      state,
    }))
    parts.push(listText('permissions', ['line', 'subject', 'resource', 'actions', 'state'], rows))
  }
  const groupText = isSaved ? 'Made' : 'Would make'
  if (groups.length > 0) parts.push(`${groupText} groups without members: ${groups.join(', ')}`)
  const listReasons = (title: string, all: readonly NotTaken[]): void => {
    if (all.length > 0)
      parts.push(
        [
          title,
          ...all.map(({ line, rule, reason }) => `  ${line === 0 ? '' : `line ${line}: `}${rule}: ${reason}`),
        ].join('\n'),
      )
  }
  listReasons('Not taken:', notTaken)
  listReasons('Bad lines, because of which nothing was changed:', bad)
  const present = permissions.length - added
  parts.push(`${isSaved ? 'Added' : 'Would add'} ${added} permissions; ${present} existed`)
  return parts.join('\n\n')
}
