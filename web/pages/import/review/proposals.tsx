import type { Call } from '../../../api/client.ts'
import { CopyAsCurl } from '../../../components/copy-as-curl.tsx'
import { importTexts } from '../../../messages/import/texts.ts'
import type { Proposal, Task } from '../types.ts'

interface ProposalsProps {
  path: string
  task: Task
  put(call: Call): Promise<void>
}

/** Returns transformations that make points from columns; none if the task has transformations already. */
export function proposedPoints({ proposals = [], transformChain }: Task): Proposal[] {
  if ((transformChain?.transforms.length ?? 0) > 0) return []
  return proposals.filter(({ kind }) => kind === 'geometry')
}

/** Shows columns with coordinates, each with a button that makes points from them. */
export function ProposedPoints({ path, task, put }: ProposalsProps) {
  const { coordinates, asPoints } = importTexts.value
  const take = ({ transform, srs }: Proposal): Call => ({
    method: 'PUT',
    path,
    body: {
      task: {
        layer: srs === undefined ? undefined : { srs },
        transformChain: { type: 'vector', transforms: [transform] },
      },
    },
  })
  return (
    <Proposals title={coordinates} button={asPoints} found={proposedPoints(task)} take={take} put={put} />
  )
}

/** Shows columns with coded values, each with a button that adds a column with their labels. */
export function ProposedLabels({ path, task, put }: ProposalsProps) {
  const { labels, addLabels } = importTexts.value
  const found = (task.proposals ?? []).filter(({ kind }) => kind === 'labels')
  const take = ({ transform }: Proposal): Call => ({
    method: 'POST',
    path: `${path}/transforms`,
    body: transform,
  })
  return <Proposals title={labels} button={addLabels} found={found} take={take} put={put} isOptional />
}

interface ListProps extends Pick<ProposalsProps, 'put'> {
  title: string
  button: string
  found: Proposal[]
  take(proposal: Proposal): Call
  isOptional?: boolean
}

function Proposals({ title, button, found, take, put, isOptional = false }: ListProps) {
  if (found.length === 0) return null
  return (
    <section class="panel" aria-label={title}>
      <header>
        <h2>{title}</h2>
      </header>
      <ul class="body stack s2">
        {found.map((one) => (
          <li key={one.evidence} class="row wrap">
            <span class="evidence" dir="auto">
              {one.evidence}
            </span>
            <CopyAsCurl call={take(one)} />
            <button type="button" class={isOptional ? 'btn' : 'btn main'} onClick={() => void put(take(one))}>
              {button}
            </button>
          </li>
        ))}
      </ul>
    </section>
  )
}
