/** @jsxRuntime automatic */
/** @jsxImportSource hono/jsx */
import type { Refusal } from "./api-client.ts";
import { ChangeForm } from "./may.tsx";
import type { Me, Page } from "./page-context.ts";
import { Facts, Folded, Named, Refused, Table, Tag, Time } from "./parts.tsx";
import type { NameOf } from "./staff-names.ts";
import { riskTone, stateTone } from "./tones.ts";

/** A request as the API shows it. */
export interface ShownApproval {
  id: string;
  number: number;
  conversation_id: string | null;
  tool_name: string;
  requested_action: string;
  risk_level: string;
  requested_by: string;
  client_says: string | null;
  status: string;
  proposed_action_json: Record<string, unknown>;
  approved_action_json: Record<string, unknown> | null;
  effective_action_json: Record<string, unknown> | null;
  material_json: { label: string; value: string }[];
  action_digest: string;
  schema_version: number;
  policy_id: string | null;
  approvals_required: number;
  approver_role: string;
  expires_at: string | null;
  approver: string | null;
  decided_via: string | null;
  decided_at: string | null;
  rejected_reason: string | null;
  frozen_reason: string | null;
  editable_fields: string[];
  edited_by: string | null;
  approves_itself_at: string | null;
  created_at: string;
  votes: Vote[];
}

interface Vote {
  staff_id: string;
  decision: string;
  reason: string | null;
  via: string;
  action_digest: string;
  voided_at: string | null;
  created_at: string;
}

interface Props {
  page: Page;
  approval: ShownApproval;
  names: NameOf;
  typed: { error: Refusal | null; reason: string; edit?: Record<string, string> | undefined };
}

/** One request: what is asked, who voted, and the two buttons while it is open. */
export function ApprovalBody({ page, approval, names, typed }: Props) {
  const { t } = page;
  const isOpen = approval.status === "pending" || approval.status === "frozen";
  return (
    <>
      <Refused error={typed.error} title={t("refused.title")} />
      <p class="tags">
        <Tag tone={stateTone(approval.status)}>{t.word("approval", approval.status)}</Tag>
        <Tag tone={riskTone(approval.risk_level)}>{t.word("risk", approval.risk_level)}</Tag>
        <code>{approval.tool_name}</code>
      </p>
      <section class="card" aria-labelledby="material">
        <h2 id="material">{t("approvals.material")}</h2>
        <Facts
          items={approval.material_json.map(({ label, value }) => [label, <Named text={value} />])}
        />
        {approval.client_says && (
          <blockquote>
            <small>{t("approvals.clientSays")}</small>
            <p>
              <Named text={approval.client_says} />
            </p>
          </blockquote>
        )}
      </section>
      {isOpen && <Decide page={page} approval={approval} typed={typed} names={names} />}
      <About page={page} approval={approval} names={names} />
      <Versions page={page} approval={approval} />
      <Votes page={page} approval={approval} names={names} />
    </>
  );
}

function Decide({ page, approval, typed }: Props) {
  const { t, me } = page;
  const why = whyNotDecided(me, approval);
  if (why)
    return (
      <section class="card" aria-labelledby="decide">
        <h2 id="decide">{t("approvals.decide")}</h2>
        <p>{t(why)}</p>
      </section>
    );
  return (
    <section class="card" aria-labelledby="decide">
      <h2 id="decide">{t("approvals.decide")}</h2>
      <ChangeForm
        page={page}
        sends="POST /approvals/:id/decision"
        action={`/admin/approvals/A-${approval.number}`}
      >
        <input type="hidden" name="digest" value={approval.action_digest} />
        <p>
          {t("approvals.digestNote")} <code>{approval.action_digest.slice(0, 8)}</code>
        </p>
        {approval.editable_fields.map((name) => (
          <EditField page={page} approval={approval} name={name} typed={typed.edit?.[name]} />
        ))}
        <label class="field">
          <span>{t("approvals.reason")}</span>
          <textarea name="reason" rows={2} maxlength={1000}>
            {typed.reason}
          </textarea>
        </label>
        <div class="buttons">
          <button type="submit" name="decision" value="approve" class="primary">
            {t("approvals.approve")}
          </button>
          <button type="submit" name="decision" value="reject" class="danger">
            {t("approvals.reject")}
          </button>
        </div>
      </ChangeForm>
    </section>
  );
}

/** null: the person may press. */
function whyNotDecided(me: Me, { approver_role, requested_by }: ShownApproval) {
  if (me.kind === "setup") return "approvals.setupCannot";
  if (approver_role === "admin" && me.role !== "admin") return "may.admin";
  return requested_by === me.staff_id ? "approvals.ownCannot" : null;
}

/** Only plain texts can be changed here. */
function EditField(props: {
  page: Page;
  approval: ShownApproval;
  name: string;
  typed?: string | undefined;
}) {
  const { page, approval, name, typed } = props;
  const value = approval.proposed_action_json[name];
  if (typeof value !== "string") return null;
  return (
    <label class="field">
      <span>
        {page.t("approvals.change")} <code>{name}</code>
      </span>
      <input type="text" name={`edit.${name}`} value={typed ?? value} autocomplete="off" />
      <input type="hidden" name={`was.${name}`} value={value} />
    </label>
  );
}

function About({ page: { t }, approval, names }: Omit<Props, "typed">) {
  const items: [string, unknown][] = [
    [t("approvals.asked"), <Time at={approval.created_at} />],
    [
      t("approvals.expires"),
      approval.expires_at ? <Time at={approval.expires_at} /> : t("approvals.never"),
    ],
    [
      t("approvals.needs"),
      `${approval.approvals_required} × ${t.word("role", approval.approver_role)}`,
    ],
    [t("approvals.rule"), <code>{approval.policy_id ?? "—"}</code>],
    [t("approvals.digest"), <code>{approval.action_digest}</code>],
  ];
  if (approval.conversation_id)
    items.push([
      t("approvals.conversation"),
      <a href={`/admin/conversations/${approval.conversation_id}`}>
        {t("approvals.openConversation")}
      </a>,
    ]);
  if (approval.approves_itself_at)
    items.push([t("approvals.itself"), <Time at={approval.approves_itself_at} />]);
  if (approval.frozen_reason)
    items.push([t("approvals.frozen"), <Named text={approval.frozen_reason} />]);
  if (approval.decided_at)
    items.push([
      t("approvals.decided"),
      <>
        <Time at={approval.decided_at} /> <Named text={names(approval.approver)} />{" "}
        {approval.decided_via && <small>{approval.decided_via}</small>}
      </>,
    ]);
  if (approval.rejected_reason)
    items.push([t("approvals.reason"), <Named text={approval.rejected_reason} />]);
  return (
    <section class="card" aria-labelledby="about">
      <h2 id="about">{t("approvals.about")}</h2>
      <Facts items={items as [string, string][]} />
    </section>
  );
}

/** What the model proposed, what people approved, what is carried out. */
function Versions({ page: { t }, approval }: { page: Page; approval: ShownApproval }) {
  const versions = [
    [t("approvals.proposed"), approval.proposed_action_json],
    [t("approvals.approvedVersion"), approval.approved_action_json],
    [t("approvals.effective"), approval.effective_action_json],
  ] as const;
  return (
    <section class="card" aria-labelledby="versions">
      <h2 id="versions">{t("approvals.versions")}</h2>
      {versions.map(([name, value]) =>
        value ? <Folded title={name} value={value} /> : <p class="muted">{`${name}: —`}</p>,
      )}
    </section>
  );
}

function Votes({ page: { t }, approval, names }: Omit<Props, "typed">) {
  return (
    <section aria-labelledby="votes">
      <h2 id="votes">{t("approvals.votes")}</h2>
      <Table
        caption={t("approvals.votes")}
        heads={[
          t("approvals.person"),
          t("approvals.decision"),
          t("approvals.reason"),
          t("approvals.when"),
          t("approvals.digest"),
        ]}
        rows={approval.votes.map((vote) => [
          <Named text={names(vote.staff_id)} />,
          <>
            <Tag tone={stateTone(vote.decision)}>{t.word("vote", vote.decision)}</Tag> {vote.via}
            {vote.voided_at && <small> {t("approvals.voided")}</small>}
          </>,
          vote.reason ? <Named text={vote.reason} /> : "—",
          <Time at={vote.created_at} />,
          <code>{vote.action_digest.slice(0, 8)}</code>,
        ])}
        empty={t("approvals.noVotes")}
      />
    </section>
  );
}
