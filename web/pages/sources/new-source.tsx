import { call } from '../../api/client.ts'
import { CheckField } from '../../components/check-field.tsx'
import { Field } from '../../components/field.tsx'
import { Icon } from '../../components/icon.tsx'
import { Failed, Loading } from '../../components/states.tsx'
import { say } from '../../components/toasts.tsx'
import { goTo, query } from '../../lib/router.ts'
import { useAnswer } from '../../lib/use-answer.ts'
import { sourceTexts } from '../../messages/sources/texts.ts'
import { emptyDraft, type Proposal, proposeSource } from './from-import.ts'
import { runCall } from './run-button.tsx'
import { Part, SourceForm } from './source-form.tsx'
import { Crumb } from './sources.tsx'
import { sourcePage } from './types.ts'

/** `/app/new-source?import=&task=`: a new source, proposed from an import if one is named. */
export function NewSourcePage() {
  const texts = sourceTexts.value
  const importId = query.value.get('import') ?? ''
  const taskId = query.value.get('task') ?? ''
  const answer = useAnswer<Proposal>(`${importId} ${taskId}`, async (signal) =>
    importId === '' ? { draft: emptyDraft() } : proposeSource(importId, taskId, signal),
  )
  const { value, error } = answer.state.value
  return (
    <div class="manage source-page">
      <div class="head">
        <div>
          <Crumb />
          <h1 class="title">{texts.newTitle}</h1>
          <p class="dim">{texts.lead}</p>
        </div>
      </div>
      <div class="stack">
        {value === undefined && error === undefined && <Loading />}
        {error !== undefined && <Failed error={error} onAgain={() => void answer.load()} />}
        {value !== undefined && <NewSource {...value} />}
      </div>
    </div>
  )
}

function NewSource({ draft, importId, isUploaded = false }: Proposal) {
  const texts = sourceTexts.value
  return (
    <>
      {importId !== undefined && (
        <p class={`note ${isUploaded ? 'warn' : ''}`}>
          <Icon name={isUploaded ? 'warn' : 'info'} />
          <span>
            {isUploaded ? texts.form.uploaded : texts.form.fromImport(importId)}
            {draft.transforms.length > 0 && ` (${texts.form.transforms(draft.transforms.length)})`}
          </span>
        </p>
      )}
      <SourceForm
        draft={draft}
        isStored={false}
        act={texts.form.create}
        requested={(settings, form) => ({
          method: 'POST',
          path: '/rest/sources',
          body: { source: { name: String(form.get('name') ?? '').trim(), ...settings } },
        })}
        send={async (requested, form) => {
          const { source } = await call<{ source: { name: string } }>(requested)
          say(texts.form.created(source.name))
          // The source exists; its page shows why a run was refused.
          if (form.has('runFirst')) await call(runCall(source.name)).catch(() => undefined)
          goTo(sourcePage(source.name), { isReplaced: true })
        }}
        beforeAct={<CheckField name="runFirst" label={texts.form.runFirst} isOn />}
      >
        <Part title={texts.form.name}>
          <div class="fields">
            <Field
              name="name"
              label={texts.form.name}
              hint={texts.form.nameHint}
              required
              maxLength={100}
              defaultValue={draft.name}
            />
          </div>
        </Part>
      </SourceForm>
    </>
  )
}
