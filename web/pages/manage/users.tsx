import { type Call, call } from '../../api/client.ts'
import { CheckField } from '../../components/check-field.tsx'
import { Field } from '../../components/field.tsx'
import { say } from '../../components/toasts.tsx'
import { query, setQuery } from '../../lib/router.ts'
import { manageTexts } from '../../messages/manage/texts.ts'
import { session } from '../../session/session.ts'
import { DeleteDialog } from './delete-dialog.tsx'
import { FormDialog } from './form-dialog.tsx'
import { Frame, Nothing, PageSections } from './frame.tsx'
import { partOf, partSize, type User, useList, users, usersCall } from './listing.ts'
import { RowActs } from './row-acts.tsx'
import { SelectField } from './select-field.tsx'
import { withoutSecrets } from './store-parameters.ts'
import { useFound } from './use-found.tsx'
import { UserAccess } from './user-access.tsx'

const base = '/rest/security/users'
const roles = ['user', 'staff', 'admin'] as const
const pathOf = (name: string): string => `${base}/${encodeURIComponent(name)}`
const reload = (): Promise<void> => users.load()

/** Users: made, given a role or a new password, deleted. */
export function UsersPage() {
  const texts = manageTexts.value
  useList(users, usersCall())
  const list = users.state.value
  const words = (query.value.get('q') ?? '').toLowerCase()
  const found = (list.value?.users ?? []).filter(({ name, email = '' }) =>
    `${name}\n${email}`.toLowerCase().includes(words),
  )
  const from = partOf(query.value) * partSize
  return (
    <>
      <Frame
        place="users"
        lead={`${texts.user.lead} ${texts.user.tokens}`}
        requested={usersCall()}
        act={texts.user.new}
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
  const access = query.value.get('access')
  if (query.value.has('new')) return <UserForm />
  if (access !== null) return <UserAccess key={access} name={access} path={pathOf(access)} />
  if (changed !== null) return <ChangeUser key={changed} name={changed} />
  return deleted === null ? null : (
    <DeleteDialog key={deleted} name={deleted} path={pathOf(deleted)} onDone={reload} />
  )
}

function Table({ rows }: { rows: readonly User[] }) {
  const texts = manageTexts.value
  return (
    <section class="panel scroll" aria-label={texts.users}>
      <table class="rowcards">
        <thead>
          <tr>
            <th>{texts.name}</th>
            <th>{texts.user.role}</th>
            <th>{texts.user.email}</th>
            <th>
              <span class="vh">{texts.actions}</span>
            </th>
          </tr>
        </thead>
        <tbody>
          {rows.map(({ name, role, email, enabled }) => (
            <tr key={name}>
              <td>
                <b dir="auto">{name}</b>{' '}
                {name === session.value?.user && <span class="tag acc">{texts.user.you}</span>}
                {!enabled && <span class="tag">{texts.user.off}</span>}
              </td>
              <td data-l={texts.user.role}>{role}</td>
              <td data-l={texts.user.email} dir="auto">
                {email}
              </td>
              <td class="num acts-cell">
                <div class="row-acts">
                  <button
                    type="button"
                    class="btn sm"
                    onClick={() => setQuery({ access: name }, { isReplaced: false })}
                  >
                    {texts.access.act}
                    <span class="vh"> {name}</span>
                  </button>
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

function ChangeUser({ name }: { name: string }) {
  const found = useFound(async (signal) => (await call<{ user: User }>({ path: pathOf(name) }, signal)).user)
  return found.value === undefined ? found.waiting : <UserForm now={found.value} />
}

/** Form for a new user, or for the editable fields of one. */
function UserForm({ now }: { now?: User }) {
  const texts = manageTexts.value
  const requested = (data: FormData): Call => {
    const text = (name: string): string => String(data.get(name))
    const isOwn = now !== undefined && now.name === session.peek()?.user
    const hasPassword = !isOwn && text('password') !== ''
    const keepTokens = data.has('keepTokens') ? { keepTokens: true } : {}
    const password = hasPassword ? { password: text('password'), ...keepTokens } : {}
    const enabled = isOwn ? {} : { enabled: data.has('enabled') }
    const shared = { role: text('role'), email: text('email'), ...password, ...enabled }
    return now === undefined
      ? { method: 'POST', path: base, body: { user: { name: text('name'), ...shared } } }
      : { method: 'PUT', path: pathOf(now.name), body: { user: shared } }
  }
  return (
    <FormDialog
      title={now === undefined ? texts.user.new : texts.user.changeTitle(now.name)}
      act={texts.save}
      requested={(data) => withoutSecrets(requested(data))}
      send={async (data) => {
        const { user } = await call<{ user: User }>(requested(data))
        say(now === undefined ? texts.made(user.name) : texts.saved(user.name))
        await reload()
      }}
    >
      {now === undefined && <Field label={texts.name} name="name" required autofocus maxLength={100} />}
      <SelectField
        name="role"
        label={texts.user.role}
        options={roles.map((value) => ({ value, text: texts.user.roles[value] }))}
        value={now?.role ?? 'user'}
      />
      <Field label={texts.user.email} name="email" maxLength={320} defaultValue={now?.email ?? ''} />
      <PasswordFields now={now} />
      {now?.name !== session.value?.user && (
        <CheckField
          name="enabled"
          label={texts.user.enabled}
          hint={texts.user.enabledHint}
          isOn={now?.enabled ?? true}
        />
      )}
    </FormDialog>
  )
}

/** Password that administrators set for others; their own requires the current one, on the account page. */
function PasswordFields({ now }: { now: User | undefined }) {
  const texts = manageTexts.value.user
  if (now !== undefined && now.name === session.value?.user) return <p class="hint">{texts.ownPassword}</p>
  return (
    <>
      <Field
        label={now === undefined ? texts.password : texts.newPassword}
        hint={now === undefined ? texts.passwordHint : texts.stays}
        name="password"
        type="password"
        autocomplete="new-password"
        required={now === undefined ? true : undefined}
      />
      {now !== undefined && (
        <CheckField name="keepTokens" label={texts.keepTokens} hint={texts.keepTokensHint} isOn={false} />
      )}
    </>
  )
}
