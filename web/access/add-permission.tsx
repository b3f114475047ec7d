import { useEffect, useRef, useState } from 'preact/hooks'
import { type Call, call } from '../api/client.ts'
import { CopyAsCurl } from '../components/copy-as-curl.tsx'
import { SelectField } from '../components/select-field.tsx'
import { Refused } from '../components/states.tsx'
import { say } from '../components/toasts.tsx'
import { useActing } from '../components/use-acting.ts'
import { accessTexts } from '../messages/access/texts.ts'
import { GroupField } from './group-field.tsx'
import { type Action, actions, permissionsPath, type Subject, subjectName } from './permissions.ts'
import { UserInput } from './user-input.tsx'

const kinds = ['group', 'user', 'authenticated', 'everyone'] as const
type SubjectKind = (typeof kinds)[number]

interface Props {
  resource: string
  onDone(): void
  onAdded(): Promise<void>
}

/** Form for a new permission of a resource. */
export function AddPermission({ resource, onDone, onAdded }: Props) {
  const texts = accessTexts.value
  const [kind, setKind] = useState<SubjectKind>('group')
  const { isBusy, error, act } = useActing()
  const form = useRef<HTMLFormElement>(null)
  useEffect(() => form.current?.querySelector('select')?.focus(), [])
  const requestedNow = (): NewPermission => callOf(new FormData(form.current ?? undefined), resource, kind)
  const submit = async (): Promise<void> => {
    const requested = requestedNow()
    const isDone = await act(async () => {
      if (requested.body.permission.actions.length === 0) throw new Error(texts.noAction)
      await call(requested)
      await onAdded()
    })
    if (!isDone) return
    say(texts.added(subjectName(requested.body.permission.subject)))
    onDone()
  }
  return (
    <form
      ref={form}
      class="stack s3 inset"
      aria-label={texts.addTitle}
      onSubmit={(event) => {
        event.preventDefault()
        void submit()
      }}
    >
      <h3>{texts.addTitle}</h3>
      <div class="who-what">
        <SelectField
          name="kind"
          label={texts.subject}
          options={kinds.map((value) => ({ value, text: texts.subjects[value] }))}
          value={kind}
          onChange={(value) => setKind(kinds.find((one) => one === value) ?? 'group')}
        />
        {kind === 'user' && <UserInput name="name" label={texts.user} required />}
        {kind === 'group' && <GroupField />}
      </div>
      <ActionChoice isForEveryone={kind === 'everyone'} />
      <Refused error={error.value} />
      <div class="row wrap">
        <button type="submit" class={`btn main${isBusy.value ? ' busy' : ''}`}>
          {texts.save}
        </button>
        <button type="button" class="btn" onClick={onDone}>
          {texts.cancel}
        </button>
        <CopyAsCurl call={requestedNow} />
      </div>
    </form>
  )
}

/** Anonymous callers get neither `import` nor `manage`. */
function ActionChoice({ isForEveryone }: { isForEveryone: boolean }) {
  const texts = accessTexts.value
  return (
    <fieldset class="stack s2">
      <legend class="lbl">{texts.what}</legend>
      {actions.map((action) => (
        <label key={action} class="check">
          <input
            type="checkbox"
            name="action"
            value={action}
            defaultChecked={action === 'read'}
            disabled={isForEveryone && (action === 'import' || action === 'manage')}
          />
          <span>
            {texts.kinds[action]} <span class="dim small">{texts.means[action]}</span>
          </span>
        </label>
      ))}
    </fieldset>
  )
}

type NewPermission = Call & {
  body: { permission: { subject: Subject; resource: string; actions: Action[] } }
}

function callOf(data: FormData, resource: string, kind: SubjectKind): NewPermission {
  const given = data.getAll('action')
  const name = String(data.get('name') ?? '').trim()
  const subject = subjectOf(kind, name)
  const permission = { subject, resource, actions: actions.filter((one) => given.includes(one)) }
  return { method: 'POST', path: permissionsPath, body: { permission } }
}

function subjectOf(kind: SubjectKind, name: string): Subject {
  if (kind === 'user') return { user: name }
  if (kind === 'group') return { group: name }
  return kind === 'everyone' ? { everyone: true } : { authenticated: true }
}
