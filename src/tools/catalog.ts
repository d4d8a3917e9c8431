import { executionPlace } from "../store/executions.ts";
import { changeAuthority } from "./change-authority/change-authority.ts";
import type { AuthorityDeps } from "./change-authority/kind.ts";
import type { AnyTool } from "./contract.ts";
import { createTaskDraft } from "./crm/create-task-draft.ts";
import { deleteCustomer } from "./crm/delete-customer.ts";
import { readCustomerProfile } from "./crm/read-customer-profile.ts";
import { sendEmail } from "./crm/send-email.ts";
import type { MailDeps } from "./crm/send-letter.ts";
import { updateCrmField } from "./crm/update-crm-field.ts";
import { cancelExchangeOrder } from "./exchange/tools/cancel-exchange-order.ts";
import { changePayoutDestination } from "./exchange/tools/change-payout-destination.ts";
import { checkExchangeVerification } from "./exchange/tools/check-exchange-verification.ts";
import { computeExchangeQuote } from "./exchange/tools/compute-exchange-quote.ts";
import { confirmFiatPayment } from "./exchange/tools/confirm-fiat-payment.ts";
import { createExchangeOrder } from "./exchange/tools/create-exchange-order.ts";
import type { ExchangeDeps } from "./exchange/tools/exchange-deps.ts";
import { fetchExchangeRequisites } from "./exchange/tools/fetch-exchange-requisites.ts";
import { getExchangeBusinessInfo } from "./exchange/tools/get-exchange-business-info.ts";
import { issueExchangePayout } from "./exchange/tools/issue-exchange-payout.ts";
import { verifyExchangePayment } from "./exchange/tools/verify-exchange-payment.ts";
import { handoffToOperator } from "./handoff-to-operator.ts";
import { offerBookingLink } from "./offer-booking-link.ts";
import { type SearchKnowledge, searchKnowledgeBase } from "./search-knowledge-base.ts";
import { setKycStatus } from "./set-kyc-status.ts";

/**
 * All that tools reach the world by. What an installation has not set up is null, and the tool is
 * then not offered or answers that a person does it.
 */
export interface ToolDeps extends ExchangeDeps, MailDeps, AuthorityDeps {
  searchKnowledge: SearchKnowledge;
}

/** Every tool there is; what a tenant is offered of them is decided elsewhere. */
export function createTools(deps: ToolDeps): AnyTool[] {
  return [
    searchKnowledgeBase({ ...deps, placeOf: executionPlace }),
    offerBookingLink(deps),
    handoffToOperator(deps),
    readCustomerProfile(),
    createTaskDraft(),
    sendEmail(deps),
    updateCrmField(),
    deleteCustomer(),
    computeExchangeQuote(deps),
    checkExchangeVerification(),
    createExchangeOrder(deps),
    fetchExchangeRequisites(deps),
    verifyExchangePayment(deps),
    changePayoutDestination(deps),
    issueExchangePayout(deps),
    cancelExchangeOrder(deps),
    getExchangeBusinessInfo(deps),
    setKycStatus(),
    confirmFiatPayment(),
    changeAuthority(deps),
  ] as unknown as AnyTool[]; // each takes what its own schema lets through
}
