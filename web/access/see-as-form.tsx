import { useEffect, useRef, useState } from 'preact/hooks'
import { SelectField } from '../components/select-field.tsx'
import { path } from '../lib/router.ts'
import { accessTexts } from '../messages/access/texts.ts'
import { beginSeeing } from '../session/see-as.ts'
import { GroupField } from './group-field.tsx'
import { UserInput } from './user-input.tsx'

const kinds = ['anonymous', 'user', 'group'] as const
type SubjectKind = (typeof kinds)[number]

interface Props {
  resource: string
  onDone(): void
}

/** Chooses a subject, and opens the page of the layer, or the list of layers, as the subject sees it. */
export function SeeAsForm({ resource, onDone }: Props) {
  const texts = accessTexts.value
  const [kind, setKind] = useState<SubjectKind>('anonymous')
  const form = useRef<HTMLFormElement>(null)
  useEffect(() => form.current?.querySelector('select')?.focus(), [])
  const begin = (): void => {
    const name = String(new FormData(form.current ?? undefined).get('name') ?? '').trim()
    beginSeeing({ kind, name }, resource.includes(':') ? path.peek() : '/')
  }
  return (
    <form
      ref={form}
      class="stack s3 inset"
      aria-label={texts.seeAsTitle}
      onSubmit={(event) => {
        event.preventDefault()
        begin()
      }}
    >
      <h3>{texts.seeAsTitle}</h3>
      <p class="dim small">{texts.seeAsLead}</p>
      <div class="who-what">
        <SelectField
          name="kind"
          label={texts.seeAsWho}
          options={kinds.map((value) => ({ value, text: texts.seeAsKinds[value] }))}
          value={kind}
          onChange={(value) => setKind(kinds.find((one) => one === value) ?? 'anonymous')}
        />
        {kind === 'user' && <UserInput name="name" label={texts.user} required />}
        {kind === 'group' && <GroupField />}
      </div>
      <div class="row wrap">
        <button type="submit" class="btn main">
          {texts.seeAsAct}
        </button>
        <button type="button" class="btn" onClick={onDone}>
          {texts.cancel}
        </button>
      </div>
    </form>
  )
}
