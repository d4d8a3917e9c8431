import type { Jobs } from "../../../domain/jobs.ts";
import type { Tx } from "../../../store/db.ts";
import type { Secrets } from "../../../store/secrets.ts";
import type { TenantTools } from "../../contract.ts";
import type { PayoutClient } from "../payout-client.ts";
import type { GuardLimits } from "../rate-guard.ts";
import type { TronGrid } from "../tron-grid.ts";

/** What the exchange tools work with. null: not configured, a person does it. */
export interface ExchangeDeps {
  secrets: Secrets;
  tronGrid: TronGrid | null;
  payouts: PayoutClient | null;
  guardLimits: GuardLimits;
  /** Oldest transaction that may pay an order, milliseconds. */
  txMaxAgeMs: number;
  jobs: Jobs<Tx>;
}

/** A desk without a rate offers no exchange. */
export function hasRates(tenant: TenantTools): boolean {
  return tenant.hasActiveRate;
}

const SECRET_PREFIX = "exchange_";

/** The desk's secrets by name. */
export function deskSecrets(
  tx: Tx,
  deps: Pick<ExchangeDeps, "secrets">,
  tenantId: string,
): Promise<Map<string, string>> {
  return deps.secrets.all(tx, tenantId, SECRET_PREFIX);
}
