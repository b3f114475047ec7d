import { call } from '../../api/client.ts'
import { query } from '../../lib/router.ts'
import { manageTexts } from '../../messages/manage/texts.ts'
import { DeleteDialog, type Dependents } from './delete-dialog.tsx'
import { Frame, Nothing, PageSections } from './frame.tsx'
import { ChangeGroup, GroupForm } from './group-form.tsx'
import { type Group, groupPath, groups, groupsCall, partOf, partSize, useList } from './listing.ts'
import { RowActs } from './row-acts.tsx'

const reload = (): Promise<void> => groups.load()

/** Groups of users: made, changed, deleted. */
export function GroupsPage() {
  const texts = manageTexts.value
  useList(groups, groupsCall())
  const list = groups.state.value
  const words = (query.value.get('q') ?? '').toLowerCase()
  const found = (list.value?.groups ?? []).filter(({ name, title = '' }) =>
    `${name}\n${title}`.toLowerCase().includes(words),
  )
  const from = partOf(query.value) * partSize
  return (
    <>
      <Frame
        place="groups"
        lead={texts.group.lead}
        requested={groupsCall()}
        act={texts.group.new}
        list={list}
        onAgain={() => void reload()}
      >
        {found.length === 0 ? <Nothing /> : <Table rows={found.slice(from, from + partSize)} />}
        <PageSections total={found.length} />
      </Frame>
      <Dialogs />
    </>
  )
}

function Dialogs() {
  const changed = query.value.get('change')
  const deleted = query.value.get('delete')
  if (query.value.has('new')) return <GroupForm onSaved={reload} />
  if (changed !== null) return <ChangeGroup key={changed} name={changed} onSaved={reload} />
  return deleted === null ? null : (
    <DeleteDialog
      key={deleted}
      name={deleted}
      path={groupPath(deleted)}
      find={(signal) => dependentsOf(deleted, signal)}
      hint={manageTexts.value.group.usersStay}
      onDone={reload}
    />
  )
}

/** The permissions that are deleted with a group. */
async function dependentsOf(name: string, signal: AbortSignal | undefined): Promise<Dependents> {
  type Reply = { permissions: { resource: string }[] }
  const { permissions } = await call<Reply>(
    { path: '/rest/security/permissions', query: { group: name } },
    signal,
  )
  const names = permissions.map(({ resource }) =>
    resource === '*' ? manageTexts.value.everywhere : resource,
  )
  return { permissions: { total: names.length, names } }
}

function Table({ rows }: { rows: readonly Group[] }) {
  const texts = manageTexts.value
  return (
    <section class="panel scroll" aria-label={texts.groups}>
      <table class="rowcards">
        <thead>
          <tr>
            <th>{texts.name}</th>
            <th>{texts.group.title}</th>
            <th>{texts.group.members}</th>
            <th>
              <span class="vh">{texts.actions}</span>
            </th>
          </tr>
        </thead>
        <tbody>
          {rows.map(({ name, title, source, members }) => (
            <tr key={name}>
              <td>
                <b dir="auto">{name}</b>{' '}
                {source !== 'local' && <span class="tag">{texts.group.sources[source]}</span>}
              </td>
              <td data-l={texts.group.title} dir="auto">
                {title}
              </td>
              <td data-l={texts.group.members}>{membersOf(members)}</td>
              <td class="num acts-cell">
                <div class="row-acts">
                  <RowActs id={name} name={name} />
                </div>
              </td>
            </tr>
          ))}
        </tbody>
      </table>
    </section>
  )
}

const maxNamed = 5

function membersOf(members: readonly string[]) {
  const texts = manageTexts.value
  if (members.length === 0) return <span class="dim">{texts.group.nobody}</span>
  const left = members.length - maxNamed
  return (
    <>
      <bdi>{members.slice(0, maxNamed).join(', ')}</bdi>
      {left > 0 && ` ${texts.removing.more(left)}`}
    </>
  )
}
