import { UserError } from "../domain/errors.ts";
import type { Principal } from "./context.ts";

/** `act`: what the request would do; see `actOf`. */
export interface Access {
  principal: Principal;
  tenant: { id: string; state: "setup" | "open" };
  act: "read" | "export" | "change" | "decide";
}

/**
 * ADMIN_TOKEN sets up: anything but decisions until the tenant is opened, reading afterwards.
 * Operators read and decide, admins may all; both only in their own tenant. Clients' conversations
 * as one file leave the house, so that an admin has to do it. Throws UserError.
 */
export function allowAccess({ principal, tenant, act }: Access): void {
  if (principal.kind === "setup") {
    allowSetup(tenant.state, act);
    return;
  }
  if (principal.tenantId !== tenant.id)
    throw new UserError(
      "forbidden",
      "This token belongs to another tenant; use one of this tenant",
    );
  if (principal.role === "admin") return;
  if (act === "change")
    throw new UserError("forbidden", "Only an admin may change this; ask an admin of the tenant");
  if (act === "export")
    throw new UserError(
      "forbidden",
      "Only an admin may take this as a file: it holds conversations of all clients; ask an admin of the tenant",
    );
}

function allowSetup(state: "setup" | "open", act: Access["act"]): void {
  if (act === "read" || act === "export") return;
  if (act === "decide")
    throw new UserError(
      "personal_token_required",
      "Decisions are a person's: use a personal token (npm run tokens -- create --staff ID)",
    );
  if (state === "open")
    throw new UserError(
      "personal_token_required",
      "The tenant is open, so ADMIN_TOKEN only reads: use an admin's personal token (npm run tokens -- create --staff ID)",
    );
}
